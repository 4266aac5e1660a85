import type { welcomeEn } from "./welcome.en.ts"

export const welcomeZh: Record<keyof typeof welcomeEn, string> = {}
