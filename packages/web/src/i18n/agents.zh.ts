import type { agentsEn } from "./agents.en.ts"

export const agentsZh: Record<keyof typeof agentsEn, string> = {}
