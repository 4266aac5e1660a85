export const settingsEn = {} as const
