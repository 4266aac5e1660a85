import { randomUUID } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { PRUNED_AT_ONCE, pruneEvents, type Schema, type Store, tryLock, type Unit } from "@chorus/store"
import { type RawBuilder, sql } from "kysely"
import type { Logger } from "pino"
import { NOBODY } from "./operation.ts"
import type { Registry } from "./registry.ts"
import { type Moment, TrustedTime } from "./trusted-time.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const BETWEEN_STEPS_MS = 20
/**
 * Companions come back to a server within so long. One that is connected to another server of the store is not heard here:
 * it says every half minute that it is there.
 */
const COMEBACK_MS = { sqlite: 10_000, postgres: 45_000 }
const PAGES_AT_ONCE = 250

interface Kept {
  readonly table: keyof Schema
  readonly days: number
  /** Which rows are of no use once they are older than that. */
  old(before: string): RawBuilder<unknown>
}

/** How long what only piles up is kept. The log is kept by `--keep-events`. */
const KEPT: readonly Kept[] = [
  { table: "signInAttempts", days: 1 / 24, old: (before) => sql`"at" < ${before}` },
  { table: "receipts", days: 2, old: (before) => sql`"createdAt" < ${before}` },
  { table: "signInLinks", days: 7, old: (before) => sql`"expiresAt" < ${before}` },
  { table: "signIns", days: 30, old: (before) => sql`"expiresAt" < ${before}` },
  { table: "deliveries", days: 30, old: (before) => sql`"state" <> 'pending' and "settledAt" < ${before}` },
  { table: "notifications", days: 90, old: (before) => sql`"createdAt" < ${before} and "readAt" is not null` },
  { table: "notifications", days: 365, old: (before) => sql`"createdAt" < ${before}` },
  { table: "teamMessages", days: 90, old: (before) => sql`"sentAt" < ${before}` },
  {
    // Their machine has not been heard of for as long.
    table: "terminals",
    days: 30,
    old: (before) => sql`"updatedAt" < ${before}
      and "machineUuid" in (select "uuid" from machines where "lastSeenAt" < ${before})`,
  },
  {
    // Nothing tells of them but themselves: they stood at no task, and nothing that stays came of them.
    table: "sessions",
    days: 90,
    old: (before) =>
      sql`"closedAt" < ${before} and not (${sql.join(
        [
          ...["checkins", "workReports", "reservations", "attentions", "usages", "runs"].map((table) => [
            table,
            "sessionUuid",
          ]),
          ...["parentUuid", "spawnedByUuid", "supersededByUuid"].map((column) => ["sessions", column]),
        ].map(
          ([table = "", column = ""]) =>
            sql`exists (select 1 from ${sql.table(table)} as h where ${sql.ref(`h.${column}`)} = sessions."uuid")`,
        ),
        sql` or `,
      )})`,
  },
  {
    table: "runEntries",
    days: 180,
    old: (before) => sql`"runUuid" in (select "uuid" from runs where "endedAt" < ${before})`,
  },
  {
    // The first and the last fifty stay however old they are.
    table: "textVersions",
    days: 365,
    old: (before) => sql`"changedAt" < ${before} and "version" > 1
      and "version" <= (select max(n."version") from "textVersions" n where n."targetUuid" = "textVersions"."targetUuid") - 50`,
  },
]

export interface HousekeepingOptions {
  /** Events older than this are dropped; kept for ever when left out. */
  readonly eventsKeptDays: number | undefined
  /** Whether all of the store was read at the start; it is read again every day. */
  readonly isChecked: boolean
}

/**
 * Drops what nobody needs any more once an hour, and marks what has expired every minute. Of several servers on one
 * store, one does it at a time.
 */
export function startHousekeeping(
  store: Store,
  registry: Registry,
  options: HousekeepingOptions,
  log: Logger,
): { close(): Promise<void> } {
  const closing = new AbortController()
  const underWay = new Set<Promise<void>>()
  const guarded = (work: () => Promise<void>) => () => {
    const done = work()
      .catch((error: unknown) => log.warn({ err: error }, "housekeeping failed"))
      .finally(() => underWay.delete(done))
    underWay.add(done)
  }
  const { signal } = closing
  const tidying = new Tidying(store, options, log)
  const waking = new Waking()
  const tidy = guarded(() => tidying.round({ wall: Date.now(), steady: performance.now() }, signal))
  // Nobody waits for it at the end: it only reads.
  const check = () =>
    void store.check().catch((error: unknown) => log.error({ err: error }, "the data could not be read whole"))
  const timers = [
    setInterval(check, DAY_MS),
    setInterval(tidy, HOUR_MS),
    setInterval(
      guarded(() => expire(store, registry, waking.heard(Date.now()))),
      MINUTE_MS,
    ),
  ]
  const begun = new Date().toISOString()
  timers.push(
    setTimeout(
      guarded(() => doubtUnheard(store, registry, begun)),
      COMEBACK_MS[store.engine],
    ),
  )
  for (const timer of timers) timer.unref()
  tidy()
  if (!options.isChecked) check()
  return {
    async close() {
      for (const timer of timers) clearInterval(timer)
      closing.abort()
      await Promise.all(underWay)
    },
  }
}

/** What is done once an hour. */
export class Tidying {
  readonly #store: Store
  readonly #keptDays: number | undefined
  readonly #log: Pick<Logger, "warn">
  readonly #time: TrustedTime

  constructor(
    store: Store,
    { eventsKeptDays }: Pick<HousekeepingOptions, "eventsKeptDays">,
    log: Pick<Logger, "warn">,
  ) {
    this.#store = store
    this.#keptDays = eventsKeptDays
    this.#log = log
    this.#time = new TrustedTime(store)
  }

  async round(moment: Moment, signal = new AbortController().signal): Promise<void> {
    const trusted = await this.#time.at(moment)
    if (trusted === undefined) {
      this.#log.warn("the clock of this machine is not set; nothing is dropped until it is")
      return
    }
    const { time, ahead } = trusted
    if (ahead > 0)
      this.#log.warn(
        { days: Math.round(ahead / DAY_MS) },
        "the clock is days ahead of the time that has passed here, by which it is judged what is old; the two come together by themselves",
      )
    await tidyUp(this.#store, new Date(time), signal)
    if (this.#keptDays !== undefined) await forgetEvents(this.#store, this.#keptDays, new Date(time), signal)
    await giveBack(this.#store, signal)
  }
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
    ...(run === undefined && check === undefined && held === undefined ? [] : ["chorus_sweep_runs"]),
    ...(terminal === undefined ? [] : ["chorus_sweep_terminals"]),
    ...(digest === undefined ? [] : ["chorus_send_digests"]),
  ]
  for (const sweep of sweeps) await everywhere(store, registry, sweep, {})
}

/** What was last heard of machines whose companion went while no server was there is not how it is now. */
export async function doubtUnheard(store: Store, registry: Registry, unheardSince: string): Promise<void> {
  await everywhere(store, registry, "chorus_sweep_terminals", { unheardSince })
}

async function everywhere(store: Store, registry: Registry, name: string, input: object): Promise<void> {
  for (const { uuid } of await store.db.selectFrom("workspaces").select("uuid").execute()) {
    const actor = { ...NOBODY, uuid: "chorus", name: "Chorus", workspaceUuid: uuid, projectUuids: null }
    await registry.execute(name, input, { actor, requestId: randomUUID() })
  }
}

/**
 * While the server was away or its machine asleep, nobody could tell it that they live; before they had the time to,
 * their silence means nothing.
 */
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
export async function forgetEvents(
  store: Store,
  keptDays: number,
  now: Date,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const before = new Date(now.getTime() - keptDays * DAY_MS).toISOString()
  for (const { uuid } of await store.db.selectFrom("workspaces").select("uuid").execute())
    await inSteps(signal, async () => (await store.write((unit) => pruneEvents(unit, uuid, before))) < PRUNED_AT_ONCE)
}

/** Drops what is kept no longer, a little at a time. */
export async function tidyUp(store: Store, now: Date, signal = new AbortController().signal): Promise<void> {
  for (const { table, days, old } of KEPT) {
    const before = new Date(now.getTime() - days * DAY_MS).toISOString()
    const step = (unit: Unit) => dropSome(unit, table, old(before))
    await inSteps(signal, async () => (await store.write(step)) < PRUNED_AT_ONCE)
  }
}

async function dropSome(unit: Unit, table: keyof Schema, old: RawBuilder<unknown>): Promise<number> {
  if (!(await tryLock(unit, "housekeeping"))) return 0
  const row = sql.raw(unit.engine === "sqlite" ? "rowid" : "ctid")
  const some = sql`select ${row} from ${sql.table(table)} where ${old} limit ${PRUNED_AT_ONCE}`
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${row} in (${some})`.execute(unit.db)
  return Number(numAffectedRows ?? 0)
}

/**
 * Gives the disk back what was dropped from the embedded store, a little at a time; PostgreSQL uses the room again by
 * itself.
 */
export async function giveBack(store: Store, signal = new AbortController().signal): Promise<void> {
  if (store.engine !== "sqlite") return
  const free = async () =>
    (await sql<{ freelist_count: number }>`pragma freelist_count`.execute(store.db)).rows[0]?.freelist_count ?? 0
  let left = signal.aborted ? 0 : await free()
  await inSteps(signal, async () => {
    if (left === 0) return true
    await store.write(({ db }) => sql`pragma incremental_vacuum(${sql.lit(PAGES_AT_ONCE)})`.execute(db))
    const before = left
    left = await free()
    // A file from before this was so keeps its room for later.
    return left >= before
  })
}

/** Takes steps until one says that it was the last; others have their turn in between. */
async function inSteps(signal: AbortSignal, step: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted && !(await step())) await pause(BETWEEN_STEPS_MS)
}
