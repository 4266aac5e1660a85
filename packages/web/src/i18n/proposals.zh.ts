import type { proposalsEn } from "./proposals.en.ts"

export const proposalsZh: Record<keyof typeof proposalsEn, string> = {}
