import type { officeEn } from "./office.en.ts"

export const officeZh: Record<keyof typeof officeEn, string> = {}
