import type { graphEn } from "./graph.en.ts"

export const graphZh: Record<keyof typeof graphEn, string> = {}
