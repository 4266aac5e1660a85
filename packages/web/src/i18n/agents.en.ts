export const agentsEn = {} as const
