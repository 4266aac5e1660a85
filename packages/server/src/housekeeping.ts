import { randomUUID } from "node:crypto"
import { pruneEvents, type Store, tryLock } from "@chorus/store"
import type { Logger } from "pino"
import { NOBODY } from "./operation.ts"
import type { Registry } from "./registry.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const ATTEMPTS_KEPT_DAYS = 1 / 24
const RECEIPTS_KEPT_DAYS = 2
const LINKS_KEPT_DAYS = 7
const DELIVERIES_KEPT_DAYS = 30

export interface HousekeepingOptions {
  /** Events older than this are dropped; kept for ever when left out. */
  readonly eventsKeptDays: number | undefined
}

/** Drops what nobody needs any more once an hour, and marks what has expired every minute. Of several servers on one store, one does it at a time. */
export function startHousekeeping(
  store: Store,
  registry: Registry,
  options: HousekeepingOptions,
  log: Logger,
): { close(): void } {
  const guarded = (work: () => Promise<void>) => () =>
    void work().catch((error: unknown) => log.warn({ err: error }, "housekeeping failed"))
  const tidy = guarded(() => tidyUp(store, options, new Date()))
  const timers = [
    setInterval(tidy, HOUR_MS),
    setInterval(
      guarded(() => expire(store, registry)),
      MINUTE_MS,
    ),
  ]
  for (const timer of timers) timer.unref()
  tidy()
  return { close: () => timers.forEach((timer) => clearInterval(timer)) }
}

/** Readers of the log learn of what has run out without anybody touching the project. */
export async function expire(store: Store, registry: Registry): Promise<void> {
  const now = new Date().toISOString()
  const reservation = await store.db
    .selectFrom("reservations")
    .select("uuid")
    .where("releasedAt", "is", null)
    .where("expiresAt", "<", now)
    .limit(1)
    .executeTakeFirst()
  const run = await store.db.selectFrom("runs").select("uuid").where("leaseUntil", "<", now).limit(1).executeTakeFirst()
  const sweeps = [
    ...(reservation === undefined ? [] : ["chorus_sweep_reservations"]),
    ...(run === undefined ? [] : ["chorus_sweep_runs"]),
  ]
  if (sweeps.length === 0) return
  for (const { uuid } of await store.db.selectFrom("workspaces").select("uuid").execute()) {
    const actor = { ...NOBODY, uuid: "chorus", name: "Chorus", workspaceUuid: uuid, projectUuids: null }
    for (const sweep of sweeps) await registry.execute(sweep, {}, { actor, requestId: randomUUID() })
  }
}

export async function tidyUp(store: Store, { eventsKeptDays }: HousekeepingOptions, now: Date): Promise<void> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString()
  await store.write(async (unit) => {
    if (!(await tryLock(unit, "housekeeping"))) return
    await unit.db.deleteFrom("signInAttempts").where("at", "<", daysAgo(ATTEMPTS_KEPT_DAYS)).execute()
    await unit.db.deleteFrom("receipts").where("createdAt", "<", daysAgo(RECEIPTS_KEPT_DAYS)).execute()
    await unit.db.deleteFrom("signInLinks").where("expiresAt", "<", daysAgo(LINKS_KEPT_DAYS)).execute()
    await unit.db
      .deleteFrom("deliveries")
      .where("state", "<>", "pending")
      .where("settledAt", "<", daysAgo(DELIVERIES_KEPT_DAYS))
      .execute()
    if (eventsKeptDays === undefined) return
    for (const { uuid } of await unit.db.selectFrom("workspaces").select("uuid").execute())
      await pruneEvents(unit, uuid, daysAgo(eventsKeptDays))
  })
}
