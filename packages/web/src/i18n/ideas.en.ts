export const ideasEn = {} as const
