import { ChorusError } from "@chorus/contracts"
import { sql } from "kysely"
import { Pool, types } from "pg"
import { lastPosition } from "./event-log.ts"
import { planMigrations, runMigrations } from "./migrate.ts"
import { PostgresChanges } from "./postgres-changes.ts"
import { notices, PostgresNotices } from "./postgres-notices.ts"
import { PostgresRounds } from "./postgres-rounds.ts"
import { readsOver } from "./postgres-statements.ts"
import type { Store } from "./store.ts"
import { asUnavailable, takesNoChanges } from "./unavailable.ts"

export const MIGRATION_LOCK = 7_305_823_912
/** Rounds of different workspaces need not wait for each other. */
const ROUNDS_AT_ONCE = 2
/** Opens (and if need be creates or upgrades) the schema in a PostgreSQL database. */
export async function openPostgresStore(
  url: string,
  options: { connections?: number; now?: () => Date } = {},
): Promise<Store> {
  const now = options.now ?? (() => new Date())
  const connections = options.connections ?? 16
  const reads = openPool(url, { max: Math.max(1, Math.floor(connections / 2) - ROUNDS_AT_ONCE) })
  const writes = openPool(url, { max: Math.max(1, Math.ceil(connections / 2)), pipeline: true })
  const rounds = new PostgresRounds(openPool(url, { max: ROUNDS_AT_ONCE }))
  let damage: ChorusError | undefined
  /** Why the last change was not taken, if the next one would not be either. */
  let refusal: ChorusError | undefined
  const failed = (error: unknown): unknown => {
    const fault = asUnavailable(error)
    if (fault instanceof ChorusError && fault.code === "store_damaged") damage ??= fault
    return fault
  }
  const db = readsOver(reads, failed)
  const heard = new PostgresNotices(url)
  const positions = new Map<string, number>()
  const reached = (workspaceUuid: string, position: number): number => {
    const furthest = Math.max(position, positions.get(workspaceUuid) ?? 0)
    positions.set(workspaceUuid, furthest)
    return furthest
  }
  heard.onGrowth(reached)
  const known = async (workspaceUuid: string) =>
    positions.get(workspaceUuid) ?? reached(workspaceUuid, await lastPosition(db, workspaceUuid))
  const changes = new PostgresChanges(writes, rounds, known)
  const close = async () => {
    await heard.stop()
    await rounds.close()
    await Promise.all([db.destroy(), writes.end()])
  }
  try {
    await db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
      await runMigrations(tx, "postgres", await planMigrations(tx), now().toISOString())
    })
    await heard.start()
  } catch (error) {
    await close()
    throw asUnavailable(error)
  }
  rounds.start()

  return {
    engine: "postgres",
    db,
    async write(work) {
      try {
        const value = await changes.run(work)
        refusal = undefined
        return value
      } catch (error) {
        const fault = failed(error)
        if (fault instanceof ChorusError && takesNoChanges(error)) refusal = fault
        throw fault
      }
    },
    position: (workspaceUuid) => lastPosition(db, workspaceUuid),
    onGrowth: (listener) => heard.onGrowth(listener),
    async broadcast(topic, message) {
      const { channel, payload } = notices.broadcast(topic, message)
      await sql`select pg_notify(${channel}, ${payload})`.execute(db)
    },
    onBroadcast: (topic, listener) => heard.onBroadcast(topic, listener),
    load: () => ({
      open: reads.totalCount + writes.totalCount,
      idle: reads.idleCount + writes.idleCount,
      waiting: reads.waitingCount + writes.waitingCount,
    }),
    damage: () => damage ?? refusal,
    check: async () => true,
    close,
  }
}

function openPool(url: string, options: { readonly max: number; readonly pipeline?: boolean }): Pool {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    types: { getTypeParser: numbersAsNumbers },
    ...options,
  })
  // A connection that breaks, idle or in use, is replaced; without a listener it would end the process.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => client.on("error", () => undefined))
  return pool
}

function numbersAsNumbers(oid: number, format?: "text" | "binary") {
  const BIGINT = 20
  const NUMERIC = 1700
  if (oid === BIGINT || oid === NUMERIC) return Number
  return format === "binary" ? types.getTypeParser(oid, "binary") : types.getTypeParser(oid, "text")
}
