import { ChorusError } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import { newToken, tokenHash } from "./token.ts"

export const LINK_LIFE_MS = 15 * 60_000
const DAY_MS = 86_400_000
const GET_ANOTHER = "Get a new one with `chorus signin` on the server's machine, or ask an admin of the workspace."

export interface NewLink {
  readonly token: string
  readonly expiresAt: string
}

/** Makes a token that signs its person in once. Only its hash is kept. Call it inside a change. */
export async function addSignInLink(db: Db, userUuid: string, now: string, lifeMs = LINK_LIFE_MS): Promise<NewLink> {
  const token = newToken()
  const expiresAt = later(now, lifeMs)
  await db.deleteFrom("signInLinks").where("expiresAt", "<", later(now, -DAY_MS)).execute()
  await db
    .insertInto("signInLinks")
    .values({ hash: tokenHash(token), userUuid, createdAt: now, expiresAt, usedAt: null, replacedAt: null })
    .execute()
  return { token, expiresAt }
}

/** Ends the links somebody still has: who asks for a new one may have lost the old. Call it inside a change. */
export async function endSignInLinks(db: Db, userUuid: string, now: string): Promise<void> {
  await db
    .updateTable("signInLinks")
    .set({ expiresAt: now, replacedAt: now })
    .where("userUuid", "=", userUuid)
    .where("usedAt", "is", null)
    .where("expiresAt", ">", now)
    .execute()
}

/** Whom a link that still works signs in; it stays as it is. */
export async function linkHolder(db: Db, token: string, now: string): Promise<string> {
  const link = await db
    .selectFrom("signInLinks")
    .select(["userUuid", "usedAt", "expiresAt", "replacedAt"])
    .where("hash", "=", tokenHash(token))
    .executeTakeFirst()
  if (link === undefined) throw dead("link_unknown", 401, "This sign-in link is not known here.")
  if (link.usedAt !== null) throw linkUsed()
  if (link.expiresAt > now) return link.userUuid
  if (link.replacedAt === null) throw dead("link_expired", 410, "This sign-in link has expired.")
  throw new ChorusError("link_replaced", "A newer sign-in link replaced this one, so this one no longer works.", {
    status: 410,
    next: `Open the newest link you were sent. If you have none: ${GET_ANOTHER}`,
  })
}

/** Uses a link up. Of many who try at once, one gets through. Call it inside the change that found its holder. */
export async function useUpLink(db: Db, token: string, now: string): Promise<void> {
  const used = await db
    .updateTable("signInLinks")
    .set({ usedAt: now })
    .where("hash", "=", tokenHash(token))
    .where("usedAt", "is", null)
    .returning("userUuid")
    .executeTakeFirst()
  if (used === undefined) throw linkUsed()
}

/** The token stands behind the hash sign, which browsers keep to themselves: it reaches no log and no referrer. */
export function signInPath(token: string): string {
  return `/sign-in#${token}`
}

function later(now: string, ms: number): string {
  return new Date(Date.parse(now) + ms).toISOString()
}

function linkUsed(): ChorusError {
  return dead("link_used", 410, "This sign-in link was used already.")
}

function dead(code: string, status: number, message: string): ChorusError {
  return new ChorusError(code, message, {
    status,
    next: GET_ANOTHER,
  })
}
