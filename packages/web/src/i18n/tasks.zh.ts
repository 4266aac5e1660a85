import type { tasksEn } from "./tasks.en.ts"

export const tasksZh: Record<keyof typeof tasksEn, string> = {}
