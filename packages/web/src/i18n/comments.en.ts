export const commentsEn = {
  "comments.title": "Comments",
  "comments.empty": "Nobody has said anything yet.",
  "comments.earlier": "Show earlier comments ({count})",
  "comments.placeholder": "Write a comment… @ mentions somebody",
  "comments.answerPlaceholder": "Write an answer…",
  "comments.openQuestion":
    "“{title}” waits for an answer: answer it there or under Needs you. A comment does not answer it.",
  "comments.send": "Comment",
  "comments.answer": "Answer",
  "comments.by": "Comment by {name}",
  "comments.report": "Report",
  "comments.edited": "edited",
  "comments.deleted": "This comment was deleted.",
  "comments.somebody": "Somebody",
  "comments.mention": "Mention",
  "comments.online": "online",
} as const
