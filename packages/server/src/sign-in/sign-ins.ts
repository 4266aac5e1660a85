import { randomUUID } from "node:crypto"
import type { Db, Schema } from "@chorus/store"
import { newToken, tokenHash } from "./token.ts"

/** How long a browser stays signed in without being used. */
export const SIGN_IN_LIFE_MS = 30 * 86_400_000
/** How old a cookie gets before it is replaced. */
const ROTATE_AFTER_MS = 60 * 60_000
/** Requests that were on their way while the cookie was replaced. */
const GRACE_MS = 60_000
const USER_AGENT_LENGTH = 256

type Row = Schema["signIns"]

/** A sign-in as a request presented it. */
export interface PresentedSignIn {
  readonly uuid: string
  readonly hash: string
  readonly isCurrent: boolean
  readonly rotatedAt: string
  readonly lastUsedAt: string
}

/** Opens a sign-in and gives the token for its cookie. Call it inside a change. */
export async function openSignIn(
  db: Db,
  userUuid: string,
  userAgent: string | undefined,
  now: string,
): Promise<string> {
  const token = newToken()
  await db.deleteFrom("signIns").where("userUuid", "=", userUuid).where("expiresAt", "<", now).execute()
  await db
    .insertInto("signIns")
    .values({
      uuid: randomUUID(),
      hash: tokenHash(token),
      previousHash: null,
      userUuid,
      userAgent: userAgent?.slice(0, USER_AGENT_LENGTH) ?? null,
      createdAt: now,
      rotatedAt: now,
      lastUsedAt: now,
      expiresAt: expiry(now),
      revokedAt: null,
    })
    .execute()
  return token
}

/**
 * Whether a cookie's token still counts for this row. The replaced token counts a little longer for requests under way, and for
 * as long as the new one was never used: then the answer that carried it was lost, and the browser still holds the old one.
 */
export function stillCounts(
  row: Pick<Row, "hash" | "rotatedAt" | "lastUsedAt" | "expiresAt" | "revokedAt">,
  hash: string,
  now: string,
): boolean {
  if (row.revokedAt !== null || row.expiresAt <= now) return false
  if (row.hash === hash) return true
  return ageOf(row.rotatedAt, now) <= GRACE_MS || row.lastUsedAt < row.rotatedAt
}

/** Whether the browser should get a new token with this answer. */
export function needsRotation({ isCurrent, rotatedAt }: PresentedSignIn, now: string): boolean {
  return ageOf(rotatedAt, now) > (isCurrent ? ROTATE_AFTER_MS : GRACE_MS)
}

/** Replaces the token and starts the thirty days anew. Of many requests at once one gets the new token, the others none. */
export async function rotateSignIn(db: Db, presented: PresentedSignIn, now: string): Promise<string | undefined> {
  const token = newToken()
  const row = await db
    .updateTable("signIns")
    .set({ hash: tokenHash(token), previousHash: presented.hash, rotatedAt: now, expiresAt: expiry(now) })
    .where("uuid", "=", presented.uuid)
    .where("rotatedAt", "=", presented.rotatedAt)
    .where("revokedAt", "is", null)
    .returning("uuid")
    .executeTakeFirst()
  return row && token
}

/** Ends a person's sign-ins, all or all but one, and says how many there were. */
export async function endSignIns(db: Db, userUuid: string, now: string, keepUuid?: string): Promise<number> {
  let query = db
    .updateTable("signIns")
    .set({ revokedAt: now })
    .where("userUuid", "=", userUuid)
    .where("revokedAt", "is", null)
    .where("expiresAt", ">", now)
  if (keepUuid !== undefined) query = query.where("uuid", "<>", keepUuid)
  const ended = await query.returning("uuid").execute()
  return ended.length
}

function expiry(now: string): string {
  return new Date(Date.parse(now) + SIGN_IN_LIFE_MS).toISOString()
}

function ageOf(time: string, now: string): number {
  return Date.parse(now) - Date.parse(time)
}
