import { sql } from "kysely"
import type { Engine } from "./migrations/migration.ts"
import { UNCHECKED } from "./migrations/0029-parents.ts"
import type { Db } from "./schema/index.ts"

export interface Column {
  readonly name: string
  readonly kind: "text" | "number" | "bytes"
}

export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly string[]
  /** The tables its rows point to. */
  readonly parents: readonly string[]
}

/** The tables as the database itself knows them, parents before children, so that none can be forgotten. Indexes for search are left to their triggers. */
export async function readTables(db: Db, engine: Engine): Promise<Table[]> {
  return parentsFirst(engine === "sqlite" ? await sqliteTables(db) : await postgresTables(db))
}

async function sqliteTables(db: Db): Promise<Table[]> {
  const names = await sql<{
    name: string
  }>`select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'`.execute(
    db,
  )
  return Promise.all(
    names.rows.map(async ({ name }) => {
      const columns = await sql<{
        name: string
        type: string
        pk: number
      }>`select name, type, pk from pragma_table_info(${name}) order by cid`.execute(db)
      const parents = await sql<{
        table: string
      }>`select distinct "table" from pragma_foreign_key_list(${name})`.execute(db)
      return {
        name,
        columns: columns.rows.map((column) => ({ name: column.name, kind: kindOf(column.type) })),
        primaryKey: columns.rows
          .filter(({ pk }) => pk > 0)
          .sort((a, b) => a.pk - b.pk)
          .map((column) => column.name),
        parents: parents.rows.map(({ table }) => table),
      }
    }),
  )
}

/** Without what an event has only on its way to its position. */
async function postgresTables(db: Db): Promise<Table[]> {
  const columns = await sql<{ table: string; name: string; type: string }>`
    select c.table_name as "table", c.column_name as "name", c.data_type as "type"
    from information_schema.columns c join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
      and c.table_name <> 'eventsComing' and not (c.table_name = 'events' and c.column_name = 'ticket')
    order by c.table_name, c.ordinal_position`.execute(db)
  const keys = await sql<{ table: string; name: string }>`
    select k.table_name as "table", k.column_name as "name"
    from information_schema.key_column_usage k join information_schema.table_constraints c
      on c.constraint_schema = k.constraint_schema and c.constraint_name = k.constraint_name and c.table_name = k.table_name
    where c.table_schema = current_schema() and c.constraint_type = 'PRIMARY KEY' order by k.ordinal_position`.execute(
    db,
  )
  const parents = await sql<{ table: string; parent: string }>`
    select distinct child.relname as "table", parent.relname as "parent"
    from pg_constraint f join pg_class child on child.oid = f.conrelid join pg_class parent on parent.oid = f.confrelid
    where f.contype = 'f' and child.relnamespace = current_schema()::regnamespace`.execute(db)
  const parentsOf = (name: string) =>
    [...parents.rows, ...UNCHECKED].filter(({ table }) => table === name).map(({ parent }) => parent)
  return [...new Set(columns.rows.map(({ table }) => table))].map((name) => ({
    name,
    columns: columns.rows
      .filter(({ table }) => table === name)
      .map((column) => ({ name: column.name, kind: kindOf(column.type) })),
    primaryKey: keys.rows.filter(({ table }) => table === name).map((column) => column.name),
    parents: parentsOf(name),
  }))
}

function kindOf(type: string): Column["kind"] {
  if (/blob|bytea/i.test(type)) return "bytes"
  return /int|real|double|numeric|float/i.test(type) ? "number" : "text"
}

/** By name, but each after its parents; tables that point at each other keep their alphabetical order. */
function parentsFirst(tables: readonly Table[]): Table[] {
  const left = [...tables].sort((a, b) => (a.name < b.name ? -1 : 1))
  const ordered: Table[] = []
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name))
    const next = left.findIndex(({ name, parents }) =>
      parents.every((parent) => parent === name || !waiting.has(parent)),
    )
    ordered.push(...left.splice(Math.max(0, next), 1))
  }
  return ordered
}
