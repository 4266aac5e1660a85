export const commentsEn = {} as const
