import { HandleEmptyInListsPlugin, Kysely, PostgresDialect, replaceWithNoncontingentExpression, sql } from "kysely"
import { Pool, types } from "pg"
import { lastPosition } from "./event-log.ts"
import { planMigrations, runMigrations } from "./migrate.ts"
import { notices, PostgresNotices } from "./postgres-notices.ts"
import type { Schema } from "./schema/index.ts"
import type { Store, Unit } from "./store.ts"
import { asUnavailable } from "./unavailable.ts"

export const MIGRATION_LOCK = 7_305_823_912
const CONFLICTS = new Set(["40001", "40P01"])
const MAX_ATTEMPTS = 5

/** Opens (and if need be creates or upgrades) the schema in a PostgreSQL database. */
export async function openPostgresStore(
  url: string,
  options: { connections?: number; now?: () => Date } = {},
): Promise<Store> {
  const now = options.now ?? (() => new Date())
  const pool = new Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: 10_000,
    types: { getTypeParser: numbersAsNumbers },
  })
  // A connection that breaks, idle or in use, is replaced; without a listener it would end the process.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => client.on("error", () => undefined))
  // SQLite reads "in ()" as nothing; PostgreSQL refuses it unless it is put otherwise.
  const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), plugins: [emptyLists] })
  const heard = new PostgresNotices(url)
  try {
    await db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
      await runMigrations(tx, "postgres", await planMigrations(tx), now().toISOString())
    })
    await heard.start()
  } catch (error) {
    await db.destroy()
    throw asUnavailable(error)
  }

  return {
    engine: "postgres",
    db,
    async write(work) {
      for (let attempt = 1; ; attempt++) {
        const afterCommit: (() => void)[] = []
        try {
          const value = await db
            .transaction()
            .execute((tx) =>
              work({ db: tx, engine: "postgres", onCommit: (run) => afterCommit.push(run) } satisfies Unit),
            )
          for (const run of afterCommit) run()
          return value
        } catch (error) {
          if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw asUnavailable(error)
          await new Promise((wake) => setTimeout(wake, Math.random() * 20 * attempt))
        }
      }
    },
    position: (workspaceUuid) => lastPosition(db, workspaceUuid),
    onGrowth: (listener) => heard.onGrowth(listener),
    async announceGrowth(unit, workspaceUuid, position) {
      const { channel, payload } = notices.growth(workspaceUuid, position)
      await sql`select pg_notify(${channel}, ${payload})`.execute(unit.db)
    },
    async broadcast(topic, message) {
      const { channel, payload } = notices.broadcast(topic, message)
      await sql`select pg_notify(${channel}, ${payload})`.execute(db)
    },
    onBroadcast: (topic, listener) => heard.onBroadcast(topic, listener),
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await heard.stop()
      await db.destroy()
    },
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && CONFLICTS.has(error.code)
}

function numbersAsNumbers(oid: number, format?: "text" | "binary") {
  const BIGINT = 20
  const NUMERIC = 1700
  if (oid === BIGINT || oid === NUMERIC) return Number
  return format === "binary" ? types.getTypeParser(oid, "binary") : types.getTypeParser(oid, "text")
}
