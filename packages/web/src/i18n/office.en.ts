export const officeEn = {} as const
