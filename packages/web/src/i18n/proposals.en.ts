export const proposalsEn = {} as const
