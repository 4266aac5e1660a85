import type { markdownEn } from "./markdown.en.ts"

export const markdownZh: Record<keyof typeof markdownEn, string> = {}
