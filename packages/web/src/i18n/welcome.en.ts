export const welcomeEn = {} as const
