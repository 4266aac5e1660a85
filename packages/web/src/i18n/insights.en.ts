export const insightsEn = {} as const
