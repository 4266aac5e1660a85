import { reasonsEn } from "./reasons.en.ts"
import { saidEn } from "./said.en.ts"

/** What servers and machines write, which is English: by this it is known again, and told in another language. */
export const written = { ...reasonsEn, ...saidEn } as const

export type Written = Readonly<Record<keyof typeof written, string>>
