import type { notificationsEn } from "./notifications.en.ts"

export const notificationsZh: Record<keyof typeof notificationsEn, string> = {
  "notifications.unread": "通知，{count} 条未读",
}
