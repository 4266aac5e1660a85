export const notificationsEn = {
  "notifications.unread": "Notifications, {count} unread",
  "notifications.isUnread": "Unread",
  "notifications.readAll": "Mark all as read",
  "notifications.archive": "Archive",
  "notifications.empty": "No notifications",
  "notifications.emptyLead": "Assignments, mentions, verdicts and answers that concern you appear here.",
  "notifications.stop": ".",
} as const
