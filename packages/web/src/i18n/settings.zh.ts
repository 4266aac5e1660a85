import type { settingsEn } from "./settings.en.ts"

export const settingsZh: Record<keyof typeof settingsEn, string> = {}
