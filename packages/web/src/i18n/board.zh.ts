import type { boardEn } from "./board.en.ts"

export const boardZh: Record<keyof typeof boardEn, string> = {}
