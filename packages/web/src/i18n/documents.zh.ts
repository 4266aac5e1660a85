import type { documentsEn } from "./documents.en.ts"

export const documentsZh: Record<keyof typeof documentsEn, string> = {
  "documents.unchanged": "{count} 行未变化",
}
