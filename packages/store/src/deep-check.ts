import { sql } from "kysely"
import type { Snapshot } from "./snapshot.ts"
import { readTables } from "./table-map.ts"

/**
 * What in a store does not fit together, in words: nothing, where all is well. Every page, index and reference of the embedded
 * file is read, and on both engines whatever is counted or kept twice is counted again.
 */
export async function deepCheck(snapshot: Snapshot): Promise<string[]> {
  const flaws: string[] = []
  for (const look of [...(snapshot.engine === "sqlite" ? [pages, references] : [rows]), ...KEPT_TWICE])
    flaws.push(...(await look(snapshot)))
  return flaws
}

type Look = (snapshot: Snapshot) => Promise<string[]>

const pages: Look = async ({ db }) => {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(20)`.execute(db)
  return rows.map((row) => row.integrity_check).filter((said) => said !== "ok")
}

const references: Look = async ({ db }) => {
  const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(db)
  const broken = Map.groupBy(rows, ({ table, parent }) => `${table} to ${parent}`)
  return [...broken].map(([what, lost]) => `${lost.length} references from ${what} lead nowhere`)
}

/** Reads every row, with what of it lies apart: a page that makes no sense ends the look, and says so itself. */
const rows: Look = async ({ db, engine }) => {
  for (const { name } of await readTables(db, engine))
    await sql`select sum(length(t::text)) from ${sql.table(name)} t`.execute(db)
  return []
}

/** Positions have no gaps and end where the workspace says; what was pruned is gone from the beginning. */
const log: Look = async ({ db }) => {
  const { rows } = await sql<{ name: string; count: number; first: number; last: number; lastEvent: number }>`
    select w."name", w."lastEvent", count(e."id") as "count", min(e."id") as "first", max(e."id") as "last"
    from workspaces w join events e on e."workspaceUuid" = w."uuid" group by w."uuid", w."name", w."lastEvent"`.execute(
    db,
  )
  return rows.flatMap(({ name, ...row }) => {
    const [count, first, last, end] = [row.count, row.first, row.last, row.lastEvent].map(Number)
    const missing = Number(last) - Number(first) + 1 - Number(count)
    return [
      ...(missing === 0 ? [] : [`the log of "${name}" lacks ${missing} events between ${first} and ${last}`]),
      ...(last === end ? [] : [`the log of "${name}" ends at ${last}, but was counted to ${end}`]),
    ]
  })
}

const UNFINISHED = sql`not in ('done', 'closed')`

const counters: Look = async ({ db }) => {
  const { rows } = await sql<{ title: string; says: string }>`
    select t."title", 'waits for' as "says" from tasks t where t."openDependencies" <> (select count(*) from "taskEdges" e
      join tasks d on d."uuid" = e."dependsOnUuid" where e."taskUuid" = t."uuid" and d."status" ${UNFINISHED})
    union all select t."title", 'is measured by' from tasks t where t."criteriaTotal" <>
      (select count(*) from criteria c where c."taskUuid" = t."uuid" and c."retiredAt" is null)
    limit 20`.execute(db)
  return rows.map(({ title, says }) => `"${title}" ${says} another number than it was counted`)
}

const search: Look = async ({ db }) => {
  const { rows } = await sql<{ kind: string; missing: number }>`
    select 'tasks' as "kind", count(*) as "missing" from tasks s
      where not exists (select 1 from "searchEntries" e where e."entityUuid" = s."uuid" and e."title" = s."title")
    union all select 'ideas', count(*) from ideas s
      where not exists (select 1 from "searchEntries" e where e."entityUuid" = s."uuid" and e."title" = s."title")
    union all select 'documents', count(*) from documents s
      where not exists (select 1 from "searchEntries" e where e."entityUuid" = s."uuid" and e."title" = s."title")`.execute(
    db,
  )
  return rows
    .filter(({ missing }) => Number(missing) > 0)
    .map(({ kind, missing }) => `${missing} ${kind} cannot be found by their titles`)
}

const KEPT_TWICE: readonly Look[] = [log, counters, search]
