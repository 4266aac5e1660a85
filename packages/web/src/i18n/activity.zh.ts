import type { activityEn } from "./activity.en.ts"

export const activityZh: Record<keyof typeof activityEn, string> = {}
