import type { BundleHeader } from "@chorus/contracts"
import { sql } from "kysely"
import { BUNDLE_FORMAT, BundleTally } from "./bundle.ts"
import { OWN_TABLES, SECRET_COLUMNS, SECRET_TABLES } from "./secrets-policy.ts"
import type { Snapshot } from "./snapshot.ts"
import { type Column, readTables, type Table } from "./table-map.ts"

const BATCH = 500

export interface ExportOptions {
  readonly version: string
  readonly now: Date
  /** Kept only in a backup, which restores ways in as well. */
  readonly secrets: "scrubbed" | "kept"
}

/** Everything in the store as lines of JSON, without line breaks: a header, each row with its table, parents first, and an end. */
export async function* exportLines(
  snapshot: Snapshot,
  options: ExportOptions,
): AsyncGenerator<string, void, undefined> {
  const tables = exportedTables(await readTables(snapshot.db, snapshot.engine), options.secrets)
  const header: BundleHeader = {
    chorus: "export",
    format: BUNDLE_FORMAT,
    schema: await schemaOf(snapshot),
    version: options.version,
    exportedAt: options.now.toISOString(),
    secrets: options.secrets === "kept",
    tables: Object.fromEntries(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)])),
  }
  yield JSON.stringify(header)
  const tally = new BundleTally()
  for (const table of tables) {
    for await (const row of rowsOf(snapshot, table)) {
      const line = JSON.stringify({
        table: table.name,
        row: Object.fromEntries(table.columns.map((column) => [column.name, toJson(column, row[column.name])])),
      })
      tally.add(table.name, line)
      yield line
    }
  }
  yield JSON.stringify(tally.end())
}

/** How many rows an export will hold, for saying how far it is. */
export async function countRows(snapshot: Snapshot, secrets: ExportOptions["secrets"]): Promise<number> {
  let total = 0
  for (const { name } of exportedTables(await readTables(snapshot.db, snapshot.engine), secrets)) {
    const counted = await sql<{ rows: number }>`select count(*) as "rows" from ${sql.id(name)}`.execute(snapshot.db)
    total += Number(counted.rows[0]?.rows ?? 0)
  }
  return total
}

/** The tables and columns of a bundle; the same on the way out and on the way in. */
export function exportedTables(tables: readonly Table[], secrets: ExportOptions["secrets"]): Table[] {
  const kept = tables.filter(({ name }) => !OWN_TABLES.includes(name))
  if (secrets === "kept") return kept
  return kept
    .filter(({ name }) => !SECRET_TABLES.includes(name))
    .map((table) => ({
      ...table,
      columns: table.columns.filter(({ name }) => SECRET_COLUMNS[table.name]?.[name] === undefined),
    }))
}

export async function schemaOf({ db }: Pick<Snapshot, "db">): Promise<number> {
  const row = await db
    .selectFrom("migrations")
    .select(({ fn }) => fn.max("id").as("last"))
    .executeTakeFirst()
  return Number(row?.last ?? 0)
}

/** In the order of the primary key, a batch at a time, each batch after the last key of the one before. */
async function* rowsOf(
  { db, engine }: Snapshot,
  table: Table,
): AsyncGenerator<Record<string, unknown>, void, undefined> {
  const key = table.primaryKey
    .map((name) => table.columns.find((column) => column.name === name))
    .filter((column) => column !== undefined)
  const order = sql.join((key.length > 0 ? key : table.columns).map((column) => bytewise(column, sql.id(column.name))))
  const columns = sql.join(table.columns.map(({ name }) => sql.id(name)))
  let last: Record<string, unknown> | undefined
  for (;;) {
    const after: Record<string, unknown> | undefined = last
    const where =
      after === undefined
        ? sql``
        : sql`where (${order}) > (${sql.join(key.map((column) => bytewise(column, sql`${after[column.name]}`)))})`
    const limit = key.length > 0 ? sql`limit ${sql.lit(BATCH)}` : sql``
    const batch = await sql<
      Record<string, unknown>
    >`select ${columns} from ${sql.id(table.name)} ${where} order by ${order} ${limit}`.execute(db)
    yield* batch.rows
    last = batch.rows.at(-1)
    if (key.length === 0 || batch.rows.length < BATCH) return
  }

  /** The embedded engine compares text by its bytes; PostgreSQL does when told. */
  function bytewise(column: Column, expression: ReturnType<typeof sql>) {
    if (column.kind !== "text") return expression
    return engine === "postgres" ? sql`${expression}::text collate "C"` : expression
  }
}

function toJson(column: Column, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (column.kind === "number") return Number(value)
  if (column.kind === "bytes") return { base64: Buffer.from(value as Uint8Array).toString("base64") }
  return value
}
