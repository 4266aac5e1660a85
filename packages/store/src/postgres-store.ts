import { ChorusError } from "@chorus/contracts"
import { Kysely, PostgresDialect, sql } from "kysely"
import { Pool, types } from "pg"
import { planMigrations, runMigrations } from "./migrate.ts"
import { GrowthListener } from "./postgres-growth.ts"
import type { Schema } from "./schema/index.ts"
import type { Store, Unit } from "./store.ts"

const GROWTH_CHANNEL = "chorus_growth"
export const MIGRATION_LOCK = 7_305_823_912
const CONFLICTS = new Set(["40001", "40P01"])
const MAX_ATTEMPTS = 5

/** Opens (and if need be creates or upgrades) the schema in a PostgreSQL database. */
export async function openPostgresStore(url: string, options: { connections?: number; now?: () => Date } = {}): Promise<Store> {
  const now = options.now ?? (() => new Date())
  const pool = new Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: 5000,
    types: { getTypeParser: numbersAsNumbers },
  })
  // A connection that breaks, idle or in use, is replaced; without a listener it would end the process.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => client.on("error", () => undefined))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const growth = new GrowthListener(url, GROWTH_CHANNEL)
  try {
    await db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
      await runMigrations(tx, "postgres", await planMigrations(tx), now().toISOString())
    })
    await growth.start()
  } catch (error) {
    await db.destroy()
    throw unavailable(error)
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
            .execute((tx) => work({ db: tx, engine: "postgres", onCommit: (run) => afterCommit.push(run) } satisfies Unit))
          for (const run of afterCommit) run()
          return value
        } catch (error) {
          if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw unavailable(error)
          await new Promise((wake) => setTimeout(wake, Math.random() * 20 * attempt))
        }
      }
    },
    onGrowth: (listener) => growth.subscribe(listener),
    async announceGrowth(unit, workspaceUuid, position) {
      await sql`select pg_notify(${GROWTH_CHANNEL}, ${`${workspaceUuid}:${position}`})`.execute(unit.db)
    },
    async close() {
      await growth.stop()
      await db.destroy()
    },
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && CONFLICTS.has(error.code)
}

/** A lost connection is our fault, not the caller's; whether the change was kept is unknown, so say how to find out. */
function unavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ChorusError) return error
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  const lost = /^(08|57P|53)/.test(code) || /ECONN|EPIPE|ENOENT|ETIMEDOUT|terminat|timeout exceeded|Connection/i.test(`${code} ${error.message}`)
  if (!lost) return error
  return new ChorusError("store_unavailable", `The database does not answer: ${error.message}.`, {
    status: 503,
    next: "Try again with the same idempotency key; a change that was kept is then answered, not repeated.",
    cause: error,
  })
}

function numbersAsNumbers(oid: number, format?: "text" | "binary") {
  const BIGINT = 20
  const NUMERIC = 1700
  if (oid === BIGINT || oid === NUMERIC) return Number
  return format === "binary" ? types.getTypeParser(oid, "binary") : types.getTypeParser(oid, "text")
}
