import type { insightsEn } from "./insights.en.ts"

export const insightsZh: Record<keyof typeof insightsEn, string> = {}
