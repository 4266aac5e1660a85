import { sql } from "kysely"
import { badBundle } from "./bundle.ts"
import { importLines } from "./import.ts"
import { UNCHECKED } from "./migrations/0029-parents.ts"
import { oneConnection } from "./postgres-snapshot.ts"
import { MIGRATION_LOCK } from "./postgres-store.ts"
import type { Db } from "./schema/index.ts"
import type { ImportOptions } from "./sqlite-import.ts"
import { readTables } from "./table-map.ts"

/** Reads a bundle into an empty PostgreSQL database, in one transaction. */
export async function importIntoPostgres(
  url: string,
  lines: AsyncIterable<string>,
  { now, onRow }: ImportOptions,
): Promise<{ rows: number }> {
  const db = await oneConnection(url)
  try {
    await sql`begin`.execute(db)
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db)
    const result = await importLines(
      {
        db,
        engine: "postgres",
        now,
        ...(onRow === undefined ? {} : { onRow }),
        withoutTriggers: (work) => withoutTriggers(db, work),
      },
      lines,
    )
    await sql`commit`.execute(db)
    return result
  } finally {
    // Closing the connection rolls back what was not committed.
    await db.destroy()
  }
}

/** Counters that triggers keep are in the bundle already, and rows may point to rows that come later; references are checked at the end. */
async function withoutTriggers<T>(db: Db, work: () => Promise<T>): Promise<T> {
  const tables = await readTables(db, "postgres")
  const references = await sql<{ table: string; name: string }>`
    select c.relname as "table", f.conname as "name" from pg_constraint f join pg_class c on c.oid = f.conrelid
    where f.contype = 'f' and c.relnamespace = current_schema()::regnamespace`.execute(db)
  const alter = async (table: string, change: ReturnType<typeof sql>) =>
    sql`alter table ${sql.id(table)} ${change}`.execute(db)
  for (const { name } of tables) await alter(name, sql`disable trigger user`)
  for (const { table, name } of references.rows)
    await alter(table, sql`alter constraint ${sql.id(name)} deferrable initially deferred`)
  const value = await work()
  await sql`set constraints all immediate`.execute(db).catch((error: unknown) => {
    throw badBundle(error instanceof Error ? error.message : String(error), error)
  })
  for (const unchecked of UNCHECKED) await assertParents(db, unchecked)
  for (const { table, name } of references.rows)
    await alter(table, sql`alter constraint ${sql.id(name)} not deferrable`)
  for (const { name } of tables) await alter(name, sql`enable trigger user`)
  return value
}

async function assertParents(db: Db, { table, column, parent }: (typeof UNCHECKED)[number]): Promise<void> {
  const { rows } = await sql`select from ${sql.id(table)} child where child.${sql.id(column)} is not null
    and not exists (select from ${sql.id(parent)} parent where parent."uuid" = child.${sql.id(column)}) limit 1`.execute(
    db,
  )
  if (rows.length > 0) throw badBundle(`a row of ${table} points to a row of ${parent} that is not there`)
}
