import type { paletteEn } from "./palette.en.ts"

export const paletteZh: Record<keyof typeof paletteEn, string> = {}
