import type { ideasEn } from "./ideas.en.ts"

export const ideasZh: Record<keyof typeof ideasEn, string> = {}
