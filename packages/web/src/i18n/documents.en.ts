export const documentsEn = {} as const
