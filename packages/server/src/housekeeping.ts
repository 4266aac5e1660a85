import { pruneEvents, type Store } from "@chorus/store"
import type { Logger } from "pino"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const RECEIPTS_KEPT_DAYS = 2
const LINKS_KEPT_DAYS = 7

export interface HousekeepingOptions {
  /** Events older than this are dropped; kept for ever when left out. */
  readonly eventsKeptDays: number | undefined
}

/** Drops what nobody needs any more: now and then once an hour. Safe to run in several processes. */
export function startHousekeeping(store: Store, options: HousekeepingOptions, log: Logger): { close(): void } {
  const tidy = () => void tidyUp(store, options, new Date()).catch((error: unknown) => log.warn({ err: error }, "housekeeping failed"))
  const timer = setInterval(tidy, HOUR_MS)
  timer.unref()
  tidy()
  return { close: () => clearInterval(timer) }
}

export async function tidyUp(store: Store, { eventsKeptDays }: HousekeepingOptions, now: Date): Promise<void> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString()
  await store.write(async (unit) => {
    await unit.db.deleteFrom("receipts").where("createdAt", "<", daysAgo(RECEIPTS_KEPT_DAYS)).execute()
    await unit.db.deleteFrom("signInLinks").where("expiresAt", "<", daysAgo(LINKS_KEPT_DAYS)).execute()
    if (eventsKeptDays === undefined) return
    for (const { uuid } of await unit.db.selectFrom("workspaces").select("uuid").execute()) await pruneEvents(unit, uuid, daysAgo(eventsKeptDays))
  })
}
