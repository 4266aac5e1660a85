export const boardEn = {} as const
