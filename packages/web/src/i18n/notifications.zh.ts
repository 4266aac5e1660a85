export const notificationsZh = {
  "notifications.unread": "通知，{count} 条未读",
  "notifications.isUnread": "未读",
  "notifications.readAll": "全部标为已读",
  "notifications.archive": "归档",
  "notifications.empty": "没有通知",
  "notifications.emptyLead": "与你有关的分配、提及、评判和回答会出现在这里。",
  "notifications.stop": "。",
}
