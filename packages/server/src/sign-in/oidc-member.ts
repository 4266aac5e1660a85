import { ChorusError, people } from "@chorus/contracts"
import { type Db, lock, type Schema, type Store, type Unit } from "@chorus/store"
import { memberByEmail, memberRow, peopleLock } from "../operations/people/member-row.ts"
import type { OidcSettings } from "./oidc-settings.ts"

/** What the provider says about a person. */
export interface OidcClaims {
  readonly issuer: string
  readonly subject: string
  readonly email: string | undefined
  readonly emailVerified: boolean
  readonly name: string | undefined
}

export interface OidcArrival {
  readonly workspaceUuid: string
  readonly claims: OidcClaims
  readonly settings: OidcSettings
  readonly now: string
  readonly requestId: string
  newId(): string
}

/**
 * The person behind an OIDC sign-in: whoever has this subject, else whoever has this verified address and no subject yet,
 * else a new person when their domain may join. Call it inside a change.
 */
export async function memberFor(store: Store, unit: Unit, arrival: OidcArrival): Promise<string> {
  const { claims, workspaceUuid, settings } = arrival
  await lock(unit, peopleLock(workspaceUuid))
  const oidcSubject = subjectOf(claims)
  const known = await memberBySubject(unit.db, workspaceUuid, oidcSubject)
  if (known !== undefined) return known.uuid
  const email = trustedEmail(claims, settings)
  if (email === undefined)
    throw refused(
      "oidc_email_unverified",
      "The provider does not vouch for an e-mail of yours.",
      "Verify your e-mail with the provider, or ask an admin for an invitation link.",
    )
  const invited = await memberByEmail(unit.db, workspaceUuid, email)
  if (invited !== undefined) return linkSubject(unit.db, invited, oidcSubject)
  if (!settings.domains.includes(email.slice(email.lastIndexOf("@") + 1))) {
    throw refused(
      "oidc_not_a_member",
      "You are not a member of this workspace.",
      "Ask an owner or admin to invite this e-mail address.",
    )
  }
  return join(store, unit, arrival, email)
}

async function linkSubject(db: Db, invited: Schema["users"], oidcSubject: string): Promise<string> {
  if (invited.oidcSubject !== null)
    throw refused(
      "oidc_account_taken",
      "Your e-mail belongs to an account that signs in with another identity.",
      "Ask an admin of the workspace.",
    )
  await db.updateTable("users").set({ oidcSubject }).where("uuid", "=", invited.uuid).execute()
  return invited.uuid
}

async function join(
  store: Store,
  unit: Unit,
  { claims, settings, workspaceUuid, now, requestId, newId }: OidcArrival,
  email: string,
): Promise<string> {
  const row = await unit.db
    .insertInto("users")
    .values({
      uuid: newId(),
      workspaceUuid,
      name: nameOf(claims, email),
      email,
      role: settings.role,
      passwordHash: null,
      oidcSubject: subjectOf(claims),
      createdAt: now,
      disabledAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const actor = { type: "user", uuid: row.uuid, name: row.name } as const
  unit.append({ workspaceUuid, actor, at: now, requestId }, [
    {
      kind: "member.joined",
      entityType: "member",
      entityUuid: row.uuid,
      projectUuid: null,
      action: "created",
      patch: memberRow(row),
    },
  ])
  return row.uuid
}

async function memberBySubject(
  db: Db,
  workspaceUuid: string,
  oidcSubject: string,
): Promise<{ uuid: string } | undefined> {
  return db
    .selectFrom("users")
    .select("uuid")
    .where("workspaceUuid", "=", workspaceUuid)
    .where("oidcSubject", "=", oidcSubject)
    .executeTakeFirst()
}

/** A subject means something only together with who issued it. */
function subjectOf({ issuer, subject }: OidcClaims): string {
  return `${issuer} ${subject}`
}

function trustedEmail({ email, emailVerified }: OidcClaims, { trustEmail }: OidcSettings): string | undefined {
  if (!emailVerified && !trustEmail) return undefined
  const parsed = people.Email.safeParse(email)
  return parsed.success ? parsed.data : undefined
}

/** A name comes from outside, so it is cut to what our own names may be. */
function nameOf({ name }: OidcClaims, email: string): string {
  const clean = (name ?? "")
    .replace(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, 80)
    .trim()
  return clean === "" ? email.slice(0, 80) : clean
}

function refused(code: string, message: string, next: string): ChorusError {
  return new ChorusError(code, message, { status: 403, next })
}
