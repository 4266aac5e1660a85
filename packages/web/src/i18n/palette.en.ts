export const paletteEn = {} as const
