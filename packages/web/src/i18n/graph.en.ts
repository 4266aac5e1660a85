export const graphEn = {} as const
