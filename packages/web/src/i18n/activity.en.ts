export const activityEn = {} as const
