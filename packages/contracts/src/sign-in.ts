import { z } from "zod"
import { Email } from "./operations/people.ts"
import { Role } from "./permission.ts"

/** Length is what counts, so there are no rules about which characters. */
export const Password = z.string().min(10, "must have at least 10 characters").max(256)

export const SignedInPerson = z.object({ uuid: z.string(), name: z.string(), role: Role })
export type SignedInPerson = z.infer<typeof SignedInPerson>

/** Who a browser is, and which ways in there are. */
export const SignInState = z.object({
  person: SignedInPerson.nullable(),
  /** The sign-in of this browser among those of the person. */
  signInUuid: z.string().nullable(),
  ways: z.object({ password: z.boolean(), oidc: z.object({ name: z.string() }).nullable() }),
})
export type SignInState = z.infer<typeof SignInState>

/** `insteadOf` is the person who is signed in and agreed to leave for the one whose link it is. */
export const LinkRequest = z.object({ token: z.string().min(1).max(128), insteadOf: z.string().optional() })

const Name = z.object({ uuid: z.string(), name: z.string() })

/** Somebody else is signed in here: nothing was done, and the link is as good as before. */
export const LinkQuestion = z.object({ signedIn: z.literal(false), here: Name, holder: Name })
export type LinkQuestion = z.infer<typeof LinkQuestion>

export const LinkAnswer = z.discriminatedUnion("signedIn", [z.object({ signedIn: z.literal(true) }), LinkQuestion])

export const PasswordSignIn = z.object({ email: Email, password: z.string().min(1).max(256) })

/** A first password needs no current one. */
export const PasswordChange = z.object({ current: z.string().max(256).optional(), password: Password })
