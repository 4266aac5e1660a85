import { z } from "zod"
import { line, pageInput, pageOutput, signature, SignInId, UserId } from "../signature.ts"
import { Role } from "../permission.ts"

/** An address as people type it; kept in lower case, so one person is not two. */
export const Email = z.string().trim().toLowerCase().max(254).pipe(z.email())

export const MemberRow = z.object({
  uuid: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  role: Role,
  createdAt: z.string(),
  disabledAt: z.string().nullable(),
})
export type MemberRow = z.infer<typeof MemberRow>

/** One browser in which a person is signed in. */
export const SignInRow = z.object({
  uuid: z.string(),
  userAgent: z.string().nullable(),
  createdAt: z.string(),
  lastUsedAt: z.string(),
  expiresAt: z.string(),
})
export type SignInRow = z.infer<typeof SignInRow>

/** A link that signs a person in once; `signInPath` goes behind the address of this server. */
const OneTimeLink = z.object({ signInPath: z.string(), expiresAt: z.string() })

const Nothing = z.object({})

export const inviteMember = signature({
  name: "chorus_invite_member",
  does: "Add a person and make the one-time link by which they sign in first.",
  needs: "steward",
  kind: "write",
  tool: "none",
  input: z.object({
    name: line(80),
    email: Email.optional(),
    role: Role.default("member"),
    expiresInHours: z.number().int().min(1).max(168).default(24),
  }),
  output: z.object({ member: MemberRow }).extend(OneTimeLink.shape),
})

export const updateMember = signature({
  name: "chorus_update_member",
  does: "Change a person's name, e-mail or role, or disable and enable them; disabling signs them out everywhere.",
  needs: "steward",
  kind: "write",
  tool: "none",
  input: z.object({
    userUuid: UserId,
    name: line(80).optional(),
    email: Email.nullable().optional(),
    role: Role.optional(),
    disabled: z.boolean().optional(),
    /** Takes the password away and signs the person out; they set a new one after a one-time link. */
    resetPassword: z.literal(true).optional(),
  }),
  output: MemberRow,
})

export const createSignInLink = signature({
  name: "chorus_create_sign_in_link",
  does: "Make a one-time sign-in link for a person who lost their way in; it dies after 15 minutes.",
  needs: "steward",
  kind: "write",
  tool: "none",
  input: z.object({ userUuid: UserId }),
  output: OneTimeLink,
})

export const getMe = signature({
  name: "chorus_get_me",
  does: "Get your own account.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: Nothing,
  output: MemberRow.extend({ hasPassword: z.boolean(), hasOidc: z.boolean() }),
})

export const updateMe = signature({
  name: "chorus_update_me",
  does: "Change your own name; those who run the workspace may also change their e-mail.",
  needs: "anyone",
  kind: "write",
  tool: "none",
  input: z.object({ name: line(80).optional(), email: Email.nullable().optional() }),
  output: MemberRow,
})

export const listSignIns = signature({
  name: "chorus_list_sign_ins",
  does: "List the browsers in which you are signed in.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object(pageInput),
  output: z.object({ signIns: z.array(SignInRow), ...pageOutput }),
})

export const endSignIn = signature({
  name: "chorus_end_sign_in",
  does: "Sign yourself out in one browser, at once.",
  needs: "anyone",
  kind: "write",
  tool: "none",
  input: z.object({ signInUuid: SignInId }),
  output: z.object({ uuid: z.string(), ended: z.literal(true) }),
})

export const endSignIns = signature({
  name: "chorus_end_sign_ins",
  does: "Sign yourself out everywhere, or everywhere but in one browser.",
  needs: "anyone",
  kind: "write",
  tool: "none",
  input: z.object({ keepSignInUuid: SignInId.optional() }),
  output: z.object({ ended: z.number().int() }),
})
