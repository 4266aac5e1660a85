import type { proposalsEn } from "./proposals.en.ts"

export const proposalsZh: Record<keyof typeof proposalsEn, string> = {
  "proposals.status.draft": "草稿",
  "proposals.status.pending": "待评审",
  "proposals.status.approved": "已批准",
  "proposals.status.closed": "已关闭",
}
