import { randomUUID } from "node:crypto"
import { ChorusError } from "@chorus/contracts"
import { type Db, lock, type Store } from "@chorus/store"

/** How many attempts of a kind may fail within a window. */
export interface Limit {
  readonly counter: string
  readonly most: number
  readonly windowMs: number
}

/** A limit, and whom or what this attempt counts against. */
export type Counted = readonly [limit: Limit, key: string]

export interface Attempt {
  /** How long to wait first; zero when it may go on. */
  readonly waitMs: number
  readonly uuids: readonly string[]
}

/**
 * Begins an attempt, counted in a sliding window, or says how long to wait. It counts from its beginning, so that many at once cannot
 * slip through before the first has failed, and in the store, so that all servers count together. One that succeeds is given back.
 */
export async function beginAttempt(store: Store, counted: readonly Counted[], now: Date): Promise<Attempt> {
  // Whoever is refused costs a read; a flood of attempts writes nothing.
  for (const one of counted) {
    const waitMs = await waitFor(store.db, one, now)
    if (waitMs > 0) return { waitMs, uuids: [] }
  }
  return store.write(async (unit) => {
    const uuids: string[] = []
    for (const one of counted) {
      const [{ counter }, key] = one
      await lock(unit, `attempt:${counter}:${key}`)
      const waitMs = await waitFor(unit.db, one, now)
      if (waitMs > 0) return { waitMs, uuids }
      const uuid = randomUUID()
      await unit.db.insertInto("signInAttempts").values({ uuid, counter, key, at: now.toISOString() }).execute()
      uuids.push(uuid)
    }
    return { waitMs: 0, uuids }
  })
}

/** Takes an attempt that succeeded off the count. Call it inside a change. */
export async function giveBack(db: Db, { uuids }: Attempt): Promise<void> {
  if (uuids.length > 0) await db.deleteFrom("signInAttempts").where("uuid", "in", uuids).execute()
}

/** Forgets all that failed for a key. Call it inside a change. */
export async function forgetAttempts(db: Db, [{ counter }, key]: Counted): Promise<void> {
  await db.deleteFrom("signInAttempts").where("counter", "=", counter).where("key", "=", key).execute()
}

async function waitFor(db: Db, [{ counter, most, windowMs }, key]: Counted, now: Date): Promise<number> {
  const recent = await db
    .selectFrom("signInAttempts")
    .select("at")
    .where("counter", "=", counter)
    .where("key", "=", key)
    .where("at", ">", new Date(now.getTime() - windowMs).toISOString())
    .orderBy("at", "desc")
    .limit(most)
    .execute()
  const oldest = recent.at(-1)
  if (oldest === undefined || recent.length < most) return 0
  return Date.parse(oldest.at) + windowMs - now.getTime()
}

export function tooManyAttempts(waitMs: number): ChorusError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new ChorusError("too_many_attempts", "Too many sign-ins failed from here or for this account.", {
    status: 429,
    next: `Wait ${retryAfterSeconds} seconds and try again, or sign in with a one-time link (\`chorus signin\`).`,
    details: { retryAfterSeconds },
  })
}
