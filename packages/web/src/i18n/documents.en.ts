export const documentsEn = {
  "documents.unchanged": "{count} unchanged lines",
} as const
