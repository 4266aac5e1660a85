export const tasksEn = {} as const
