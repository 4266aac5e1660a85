export const notificationsEn = {
  "notifications.unread": "Notifications, {count} unread",
} as const
