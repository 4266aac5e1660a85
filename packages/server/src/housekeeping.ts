import { randomUUID } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { PRUNED_AT_ONCE, pruneEvents, type Store, tryLock } from "@chorus/store"
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
const BETWEEN_STEPS_MS = 20
const PLAUSIBLE_DAYS = 3

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
  const clock = new ClockTrust()
  const waking = new Waking()
  const tidy = guarded(async () => {
    await tidyUp(store, new Date())
    if (options.eventsKeptDays === undefined) return
    const doubt = clock.doubt({ wall: Date.now(), steady: performance.now() }, await newestEvent(store))
    if (doubt === undefined) return forgetEvents(store, options.eventsKeptDays, new Date())
    log.warn(
      { days: Math.round(doubt / DAY_MS) },
      "the clock is days away from what was last written; no events are dropped for a day",
    )
  })
  const timers = [
    setInterval(tidy, HOUR_MS),
    setInterval(
      guarded(() => expire(store, registry, waking.heard(Date.now()))),
      MINUTE_MS,
    ),
  ]
  for (const timer of timers) timer.unref()
  tidy()
  return { close: () => timers.forEach((timer) => clearInterval(timer)) }
}

/** Readers of the log learn of an expiry, and of work whose agent died, without anybody touching the project. */
export async function expire(store: Store, registry: Registry, hears = true): Promise<void> {
  const now = new Date().toISOString()
  const reservation = await store.db
    .selectFrom("reservations")
    .select("uuid")
    .where("releasedAt", "is", null)
    .where("expiresAt", "<", now)
    .limit(1)
    .executeTakeFirst()
  const held = await store.db
    .selectFrom("tasks")
    .select("uuid")
    .where("assigneeType", "=", "agent")
    .where("status", "in", ["assigned", "in_progress"])
    .limit(1)
    .executeTakeFirst()
  const run = await store.db.selectFrom("runs").select("uuid").where("leaseUntil", "<", now).limit(1).executeTakeFirst()
  const check = await store.db
    .selectFrom("checks")
    .select("uuid")
    .where("state", "in", ["queued", "running"])
    .limit(1)
    .executeTakeFirst()
  const terminal = await store.db.selectFrom("terminals").select("terminalId").limit(1).executeTakeFirst()
  const digest = await store.db
    .selectFrom("notificationPreferences")
    .select("ownerUuid")
    .where("digest", "<>", "off")
    .limit(1)
    .executeTakeFirst()
  const sweeps = [
    ...(reservation === undefined ? [] : ["chorus_sweep_reservations"]),
    ...(held === undefined || !hears ? [] : ["chorus_return_lapsed_tasks"]),
    ...(run === undefined && check === undefined ? [] : ["chorus_sweep_runs"]),
    ...(terminal === undefined ? [] : ["chorus_sweep_terminals"]),
    ...(digest === undefined ? [] : ["chorus_send_digests"]),
  ]
  if (sweeps.length === 0) return
  for (const { uuid } of await store.db.selectFrom("workspaces").select("uuid").execute()) {
    const actor = { ...NOBODY, uuid: "chorus", name: "Chorus", workspaceUuid: uuid, projectUuids: null }
    for (const sweep of sweeps) await registry.execute(sweep, {}, { actor, requestId: randomUUID() })
  }
}

/** While the server was away or its machine asleep, nobody could tell it that they live; before they had the time to, their silence means nothing. */
export class Waking {
  #since = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY

  /** Whether the server has been there long enough at this moment; asked every minute. */
  heard(now: number): boolean {
    if (Math.abs(now - this.#last) > 2 * MINUTE_MS) this.#since = now
    this.#last = now
    return now - this.#since >= 3 * MINUTE_MS
  }
}

/** Drops what is older than the limit, a little at a time, so that nobody waits for it. */
export async function forgetEvents(store: Store, keptDays: number, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptDays * DAY_MS).toISOString()
  for (const { uuid } of await store.db.selectFrom("workspaces").select("uuid").execute())
    while ((await store.write((unit) => pruneEvents(unit, uuid, before))) === PRUNED_AT_ONCE)
      await pause(BETWEEN_STEPS_MS)
}

interface Moment {
  /** What the clock says, which somebody may set. */
  readonly wall: number
  /** What has passed for this process, which nobody can. */
  readonly steady: number
}

/**
 * A clock that was set a year ahead would make everything old. One that is days away from the newest event at the start, or that
 * jumps later, is not believed for a day: time enough to notice, and too long for nothing but a machine that was off.
 */
export class ClockTrust {
  #last: Moment | undefined
  #doubtedUntil = Number.NEGATIVE_INFINITY
  #jump = 0

  /** By how much the clock seems to be off, or nothing when it is believed. */
  doubt(now: Moment, newest: number | undefined): number | undefined {
    const expected = this.#last === undefined ? newest : this.#last.wall + now.steady - this.#last.steady
    this.#last = now
    const jump = expected === undefined ? 0 : now.wall - expected
    if (Math.abs(jump) > PLAUSIBLE_DAYS * DAY_MS) {
      this.#jump = jump
      this.#doubtedUntil = now.steady + DAY_MS
    }
    return now.steady < this.#doubtedUntil ? this.#jump : undefined
  }
}

async function newestEvent(store: Store): Promise<number | undefined> {
  const times: number[] = []
  for (const { uuid } of await store.db.selectFrom("workspaces").select("uuid").execute()) {
    const newest = await store.db
      .selectFrom("events")
      .select("at")
      .where("workspaceUuid", "=", uuid)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst()
    if (newest !== undefined) times.push(Date.parse(newest.at))
  }
  return times.length === 0 ? undefined : Math.max(...times)
}

export async function tidyUp(store: Store, now: Date): Promise<void> {
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
  })
}
