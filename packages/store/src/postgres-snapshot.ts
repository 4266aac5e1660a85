import { ChorusError } from "@chorus/contracts"
import { Kysely, PostgresDialect, sql } from "kysely"
import { Pool } from "pg"
import type { Schema } from "./schema/index.ts"
import type { Snapshot } from "./snapshot.ts"

/** A snapshot of a PostgreSQL store, also while servers write to it. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const db = await oneConnection(url)
  await sql`begin transaction isolation level repeatable read read only`.execute(db)
  return {
    engine: "postgres",
    db,
    close: async () => {
      await sql`rollback`.execute(db).finally(() => db.destroy())
    },
  }
}

/** Whether the server would take changes, or only reads as a standby does. */
export async function takesChanges({ db }: Snapshot): Promise<boolean> {
  const { rows } = await sql<{ reads: boolean }>`
    select pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as "reads"`.execute(db)
  return rows[0]?.reads !== true
}

/** All queries go over one connection, so that a transaction begun by hand holds for each of them. */
export async function oneConnection(url: string): Promise<Kysely<Schema>> {
  const pool = new Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 5000, idleTimeoutMillis: 0 })
  pool.on("error", () => undefined)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  try {
    await sql`select 1`.execute(db)
    return db
  } catch (error) {
    await db.destroy()
    throw new ChorusError("store_unavailable", `The database does not answer: ${wordsOf(error)}.`, {
      status: 503,
      next: "Check its address and password, and that PostgreSQL runs there. Nothing was changed.",
      cause: error,
    })
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join("; ")
  return error instanceof Error ? error.message : String(error)
}
