export const notificationsEn = {
  "notifications.unread": "Notifications, {count} unread",
  "notifications.isUnread": "Unread",
  "notifications.readAll": "Mark all as read",
  "notifications.archive": "Put away",
  "notifications.empty": "No news",
  "notifications.emptyLead": "Assignments, mentions, verdicts and answers that concern you come here.",
} as const
