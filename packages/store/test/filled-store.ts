import { DatabaseSync } from "node:sqlite"
import { openSqliteStore } from "@chorus/store"

type Value = string | number | Uint8Array | null

interface ColumnFacts {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly pk: number
}

/** A new embedded store with rows in every table there is, made from the schema itself: one row with every column filled, one with as few as may be. */
export async function fillStore(path: string): Promise<void> {
  await (await openSqliteStore(path)).close()
  const database = new DatabaseSync(path)
  database.exec("pragma foreign_keys = on; begin; pragma defer_foreign_keys = on")
  const tables = database
    .prepare(
      "select name, sql from sqlite_master where type = 'table' and name <> 'migrations' and name not like 'search%' and name not like 'sqlite_%'",
    )
    .all()
  for (const { name, sql } of tables) {
    for (const number of [1, 2]) insert(database, String(name), String(sql), number)
  }
  database.exec("commit")
  database.close()
}

function insert(database: DatabaseSync, table: string, ddl: string, number: number): void {
  const columns = database
    .prepare(`select name, type, "notnull", pk from pragma_table_info(?)`)
    .all(table) as unknown as ColumnFacts[]
  const links = new Set(
    database
      .prepare(`select "from" from pragma_foreign_key_list(?)`)
      .all(table)
      .map((link) => String(link["from"])),
  )
  const values = columns.map((column): Value => {
    if (number === 2 && column.notnull === 0 && column.pk === 0) return null
    return links.has(column.name) ? linkTo(database, table, column.name, number) : ownValue(table, column, ddl, number)
  })
  database
    .prepare(
      `insert into "${table}" (${columns.map(({ name }) => `"${name}"`).join()}) values (${columns.map(() => "?").join()})`,
    )
    .run(...values)
}

/** Uuids are told by table and number, so a row can be pointed to before it is there. A second column that points to the same table points to the other row. */
function linkTo(database: DatabaseSync, table: string, column: string, number: number): string {
  const links = database.prepare(`select "from", "table" from pragma_foreign_key_list(?)`).all(table)
  const parent = links.find((link) => link["from"] === column)?.["table"]
  const earlier = links
    .filter((link) => link["table"] === parent)
    .map((link) => String(link["from"]))
    .sort()
  return uuidOf(String(parent), earlier.indexOf(column) % 2 === 0 ? number : 3 - number)
}

/** What triggers look into as JSON. */
const JSON_COLUMNS = new Set(["elaborationQuestions.options", "attentions.detail", "attentions.answer"])

function ownValue(table: string, column: ColumnFacts, ddl: string, number: number): Value {
  const allowed = new RegExp(`"${column.name}" in \\(([^)]*)\\)`)
    .exec(ddl)?.[1]
    ?.split(",")
    .map((text) => text.trim().replaceAll("'", ""))
  if (allowed !== undefined) return /int/.test(column.type) ? Number(allowed[0]) : (allowed[0] ?? "")
  if (column.name === "uuid") return uuidOf(table, number)
  if (/blob/i.test(column.type)) return Buffer.from([0, 255, number])
  if (/int/i.test(column.type)) return number
  if (/double|real/i.test(column.type)) return number + 0.5
  const text = `${table}.${column.name} ${number} "ü€😀\n`
  return JSON_COLUMNS.has(`${table}.${column.name}`) ? JSON.stringify([{ label: text }]) : text
}

function uuidOf(table: string, number: number): string {
  return `${table}-${number}`
}
