import type { commentsEn } from "./comments.en.ts"

export const commentsZh: Record<keyof typeof commentsEn, string> = {}
