export const markdownEn = {} as const
