import { BundleEnd, BundleHeader, BundleRow, ChorusError } from "@chorus/contracts"
import { sql } from "kysely"
import { badBundle, BUNDLE_FORMAT, BundleTally } from "./bundle.ts"
import { exportedTables } from "./export.ts"
import { planMigrations, runMigrations } from "./migrate.ts"
import { fillSearch } from "./migrations/0005-search.ts"
import { fillPassages } from "./migrations/0021-passages.ts"
import { fillVerdictWords } from "./migrations/0036-verdict-words.ts"
import { fillAskedWords } from "./migrations/0038-asked-words.ts"
import { SCHEMA_VERSION } from "./migrations/index.ts"
import type { Engine } from "./migrations/migration.ts"
import type { Db } from "./schema/index.ts"
import { SECRET_COLUMNS } from "./secrets-policy.ts"
import { type Column, readTables, type Table } from "./table-map.ts"

const MOST_ROWS = 200

export interface ImportTarget {
  readonly db: Db
  readonly engine: Engine
  readonly now: Date
  onRow?(count: number): void
  /** Runs the inserts with the store's own triggers at rest and references checked at the end. */
  withoutTriggers<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Reads a bundle into an empty store, inside the caller's transaction: roll it back when this rejects. A bundle of an
 * older schema goes into that schema, which is then brought forward by the same migrations as any store.
 */
export async function importLines(target: ImportTarget, lines: AsyncIterable<string>): Promise<{ rows: number }> {
  const { db, engine } = target
  const reader = lines[Symbol.asyncIterator]()
  const header = headerOf(await reader.next())
  await migrateTo(target, header.schema)
  await assertEmpty(db)
  const secrets = header.secrets ? "kept" : "scrubbed"
  const tables = new Map(exportedTables(await readTables(db, engine), secrets).map((table) => [table.name, table]))
  assertSameTables(header, tables)
  const rows = await target.withoutTriggers(() => readRows(target, reader, tables, header.secrets))
  await migrateTo(target, SCHEMA_VERSION)
  for (const statement of [...fillSearch(), ...fillPassages(), ...fillVerdictWords(), ...fillAskedWords(engine)])
    await sql.raw(statement).execute(db)
  return { rows }
}

async function readRows(
  target: ImportTarget,
  reader: AsyncIterator<string>,
  tables: ReadonlyMap<string, Table>,
  withSecrets: boolean,
): Promise<number> {
  const tally = new BundleTally()
  let batch: { table: Table; rows: Record<string, unknown>[] } | undefined
  let count = 0
  const flush = async () => {
    if (batch !== undefined) await insert(target, batch.table, batch.rows)
    batch = undefined
  }
  for (let number = 2; ; number++) {
    const { done, value: text } = await reader.next()
    if (done === true) throw badBundle("it ends in the middle; its last line is missing")
    const line = parse(text, number)
    if (typeof line === "object" && line !== null && "end" in line) {
      await flush()
      assertEnd(line, tally.end())
      if ((await reader.next()).done !== true) throw badBundle(`there is more after its end, on line ${number + 1}`)
      return count
    }
    const row = BundleRow.safeParse(line)
    if (!row.success) throw badBundle(`line ${number} is not a row`)
    const table = tables.get(row.data.table)
    if (table === undefined) throw badBundle(`line ${number} is of a table "${row.data.table}" that is not known`)
    tally.add(table.name, text)
    if (batch?.table !== table || batch.rows.length >= MOST_ROWS) await flush()
    batch ??= { table, rows: [] }
    batch.rows.push(toRow(table, row.data.row, number, withSecrets))
    count++
    target.onRow?.(count)
  }
}

function toRow(table: Table, row: BundleRow["row"], number: number, withSecrets: boolean): Record<string, unknown> {
  const names = Object.keys(row)
  const strange = names.find((name) => !table.columns.some((column) => column.name === name))
  if (strange !== undefined)
    throw badBundle(`line ${number} has a column "${strange}" that ${table.name} does not have`)
  const stored = Object.fromEntries(
    table.columns.map((column) => {
      const value = row[column.name]
      if (value === undefined) throw badBundle(`line ${number} has no column "${column.name}"`)
      return [column.name, fromJson(column, value, number)]
    }),
  )
  if (withSecrets) return stored
  return {
    ...stored,
    ...Object.fromEntries(
      Object.entries(SECRET_COLUMNS[table.name] ?? {}).map(([name, standIn]) => [name, standIn(stored)]),
    ),
  }
}

function fromJson(column: Column, value: BundleRow["row"][string], number: number): unknown {
  if (value === null) return null
  if (column.kind === "bytes" && typeof value === "object") return Buffer.from(value.base64, "base64")
  if (column.kind === "number" ? typeof value === "number" : column.kind === "text" && typeof value === "string")
    return value
  throw badBundle(`line ${number} has a wrong value for "${column.name}"`)
}

async function insert({ db }: ImportTarget, table: Table, rows: readonly Record<string, unknown>[]): Promise<void> {
  const names = Object.keys(rows[0] ?? {})
  const values = sql.join(rows.map((row) => sql`(${sql.join(names.map((name) => sql`${row[name]}`))})`))
  try {
    await sql`insert into ${sql.id(table.name)} (${sql.join(names.map((name) => sql.id(name)))}) values ${values}`.execute(
      db,
    )
  } catch (error) {
    throw badBundle(
      `${table.name} does not take its rows (${error instanceof Error ? error.message : String(error)})`,
      error,
    )
  }
}

async function migrateTo({ db, engine, now }: ImportTarget, schema: number): Promise<void> {
  const { from, pending } = await planMigrations(db)
  if (from > schema) {
    throw new ChorusError("schema_older", `This bundle is of schema ${schema}, and this store is at ${from} already.`, {
      next: "Import it into a new data directory or a new database.",
    })
  }
  await runMigrations(db, engine, { from, pending: pending.filter(({ id }) => id <= schema) }, now.toISOString())
}

async function assertEmpty(db: Db): Promise<void> {
  const workspace = await db.selectFrom("workspaces").select("name").limit(1).executeTakeFirst()
  if (workspace !== undefined) throw storeNotEmpty(workspace.name)
}

export function storeNotEmpty(workspace: string): ChorusError {
  return new ChorusError("store_not_empty", `This store already holds the workspace "${workspace}".`, {
    status: 409,
    next: "Import into a new data directory (--data DIR) or a new database. Nothing was changed.",
  })
}

function headerOf(first: IteratorResult<string>): BundleHeader {
  const header = BundleHeader.safeParse(first.done === true ? undefined : parse(first.value, 1))
  if (!header.success) throw badBundle("its first line is not the header of an export")
  if (header.data.format !== BUNDLE_FORMAT)
    throw badBundle(`it has format ${header.data.format}; this Chorus reads ${BUNDLE_FORMAT}`)
  if (header.data.schema <= SCHEMA_VERSION) return header.data
  throw new ChorusError(
    "schema_newer",
    `This bundle was written by a newer Chorus (${header.data.version}, schema ${header.data.schema}).`,
    { next: "Import it with that version or a later one." },
  )
}

function assertSameTables(header: BundleHeader, tables: ReadonlyMap<string, Table>): void {
  const strange = Object.keys(header.tables).find((name) => !tables.has(name))
  if (strange !== undefined) throw badBundle(`its header names a table "${strange}" that is not known`)
  const missing = [...tables.keys()].find((name) => header.tables[name] === undefined)
  if (missing !== undefined) throw badBundle(`its header does not name the table "${missing}"`)
}

function assertEnd(line: unknown, counted: BundleEnd): void {
  const end = BundleEnd.safeParse(line)
  if (!end.success) throw badBundle("its last line is not an end")
  const wrong = Object.keys({ ...end.data.rows, ...counted.rows }).find(
    (name) => end.data.rows[name] !== counted.rows[name],
  )
  if (wrong !== undefined)
    throw badBundle(`it says ${end.data.rows[wrong] ?? 0} rows of ${wrong} and holds ${counted.rows[wrong] ?? 0}`)
  if (end.data.sha256 !== counted.sha256)
    throw badBundle("its rows are not those that were exported; the digest differs")
}

function parse(text: string, number: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw badBundle(`line ${number} is not JSON`, error)
  }
}
