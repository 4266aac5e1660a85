import type { attentionEn } from "./attention.en.ts"

export const attentionZh: Record<keyof typeof attentionEn, string> = {}
