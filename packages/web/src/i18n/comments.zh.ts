import type { commentsEn } from "./comments.en.ts"

export const commentsZh: Record<keyof typeof commentsEn, string> = {
  "comments.title": "评论",
  "comments.empty": "还没有人发言。",
  "comments.earlier": "显示更早的评论（{count}）",
  "comments.placeholder": "写评论… 用 @ 提及某人",
  "comments.answerPlaceholder": "写回复…",
  "comments.send": "评论",
  "comments.answer": "回复",
  "comments.by": "{name} 的评论",
  "comments.edited": "已编辑",
  "comments.deleted": "此评论已删除。",
  "comments.somebody": "某人",
  "comments.mention": "提及",
  "comments.online": "在线",
}
