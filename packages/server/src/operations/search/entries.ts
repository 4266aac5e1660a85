import type { search } from "@chorus/contracts"
import { type Db, type Engine, inStretches, SEARCH_WORDS, wordsLike } from "@chorus/store"
import { type RawBuilder, sql } from "kysely"
import { bears } from "../labels/labels.ts"

/** A place where the words stand; what it says is read of those that are shown. */
export interface Entry {
  readonly id: number
  readonly entityType: search.SearchKind
  /** What is found: the thing itself, or what a criterion or comment stands on. */
  readonly entityUuid: string
  readonly projectUuid: string | null
}

/** Which entries the caller looks among. */
export interface Field {
  readonly workspaceUuid: string
  readonly kinds: readonly search.SearchKind[]
  /** Null is every project of the workspace. */
  readonly projectUuids: readonly string[] | null
  /** Only this group and its projects. */
  readonly groupUuid: string | undefined
  /** Only tasks and ideas that bear a label spelt in one of these ways. */
  readonly labels: readonly string[] | undefined
}

const FOUND = sql`coalesce(e."ofUuid", e."entityUuid")`
const COLUMNS = sql`e."id", e."entityType", ${FOUND} as "entityUuid", e."projectUuid"`

export async function entriesOf(db: Db, field: Field, uuids: readonly string[]): Promise<Entry[]> {
  if (field.kinds.length === 0 || uuids.length === 0) return []
  return rowsOf(
    db,
    sql<Entry>`select ${COLUMNS} from "searchEntries" e
      where e."entityUuid" in (${sql.join(uuids)}) and ${inField(db, field)}`,
  )
}

/** What was found, and whether there may be more that nobody looked at. */
export interface Found {
  readonly entries: readonly Entry[]
  readonly isCut: boolean
}

/**
 * Things of which some entry holds all the words, the best first. Each engine finds most by its index: the embedded one
 * every three letters in a row, PostgreSQL the beginnings of words. What that cannot see is looked for in the texts.
 */
export async function entriesWith(
  db: Db,
  engine: Engine,
  field: Field,
  terms: readonly string[],
  limit: number,
): Promise<Found> {
  if (field.kinds.length === 0 || terms.length === 0) return { entries: [], isCut: false }
  return engine === "sqlite" ? inEmbedded(db, field, terms, limit) : inPostgres(db, field, terms, limit)
}

async function inEmbedded(db: Db, field: Field, terms: readonly string[], limit: number): Promise<Found> {
  if (terms.every(isLongEnough)) return { entries: eachOnce(await byParts(db, field, terms, limit)), isCut: false }
  // No index knows words of one or two letters: texts are read as they stand, others having their turn, either those that hold
  // the longer words or the newest.
  const long = terms.filter(isLongEnough)
  const indexed = sql`"searchText" cross join "searchEntries" e on e."id" = "searchText".rowid and "searchText" match ${inParts(long)}
    and "searchText".rowid`
  const last = sql<{ last: number }>`select max("id") as "last" from "searchEntries"`
  const from = (await last.execute(db)).rows[0]?.last ?? 0
  // The plus keeps SQLite from gathering a whole project by its index for each stretch.
  const within = inField(db, field, sql`+e."projectUuid"`)
  const found: Judged[] = []
  let looked = 0
  let isCut = false
  await inStretches({ from, first: 50 }, async (low, high) => {
    const source = long.length > 0 ? indexed : sql`"searchEntries" e on e."id"`
    const here = sql`select e.* from (select 1) cross join ${source} between ${low} and ${high} where ${within}`
    found.push(...(await bestOf(db, "sqlite", here, terms, limit)))
    looked += high - low + 1
    isCut = long.length === 0 && low > 1 && looked >= MOST_SCANNED
    return isCut || found.length >= limit
  })
  return { entries: eachOnce(found.toSorted(byTitleAndAge)).slice(0, limit), isCut: isCut && found.length < limit }
}

/** How many of the newest entries the embedded store reads for words that no index knows. */
const MOST_SCANNED = 20_000

/** How many of the newest entries PostgreSQL reads as they stand, and how many it takes from its index at most. */
const MOST_LOOKED_AT = 2000

/**
 * Costs the same however much there is: the newest entries are read as they stand, which finds parts of words, and
 * enough of what is everywhere; older ones are found by words that begin as asked. The query is hidden from the planner,
 * which would guess from it that reading all texts is cheaper.
 */
async function inPostgres(db: Db, field: Field, terms: readonly string[], limit: number): Promise<Found> {
  const within = inField(db, field)
  const newest = sql`select * from "searchEntries" e where ${within} order by e."id" desc limit ${MOST_LOOKED_AT}`
  const asked = terms.map((term) => sql`(select ${sql.raw(wordsLike("t"))} from (select ${term}::text as t) asked)`)
  const indexed = sql`select * from "searchEntries" e where ${sql.raw(SEARCH_WORDS)} @@ (${sql.join(asked, sql` && `)})
    and ${holding("postgres", terms)} and ${within} limit ${MOST_LOOKED_AT}`
  const beyond = sql`select from "searchEntries" e where ${within}
    order by e."id" desc offset ${MOST_LOOKED_AT} limit 1`
  const [recent, older, rest] = await Promise.all([
    bestOf(db, "postgres", newest, terms, limit),
    bestOf(db, "postgres", indexed, terms, limit),
    beyond.execute(db),
  ])
  const entries = eachOnce([...recent, ...older].toSorted(byTitleAndAge)).slice(0, limit)
  return { entries, isCut: entries.length < limit && rest.rows.length > 0 }
}

type Judged = Entry & { readonly untitled: number }

function byTitleAndAge(one: Judged, other: Judged): number {
  return one.untitled - other.untitled || other.id - one.id
}

/** Those of some entries that hold the words: first what has them in its title, each the newest first. */
async function bestOf(
  db: Db,
  engine: Engine,
  entries: RawBuilder<unknown>,
  terms: readonly string[],
  limit: number,
): Promise<Judged[]> {
  const { rows } = await sql<Judged>`
    select ${COLUMNS}, case when ${holding(engine, terms, ["title"])} then 0 else 1 end as "untitled"
    from (${entries}) e where ${holding(engine, terms)} order by "untitled", e."id" desc limit ${limit}`.execute(db)
  return rows
}

/** A thing is found once, by its best entry. */
export function eachOnce(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>()
  return entries.filter(({ entityUuid }) => !seen.has(entityUuid) && seen.add(entityUuid))
}

/**
 * First what has the words in its title, then the rest, each the
 * newest first: so it ends with the page, however many there are, where weighing each would read them all.
 */
async function byParts(db: Db, field: Field, terms: readonly string[], limit: number): Promise<Entry[]> {
  const match = inParts(terms)
  const newest = (words: string) =>
    rowsOf(
      db,
      sql<Entry>`select ${COLUMNS} from "searchText" cross join "searchEntries" e on e."id" = "searchText".rowid
        where "searchText" match ${words} and ${inField(db, field)}
        order by "searchText".rowid desc limit ${limit}`,
    )
  const titled = await newest(`title : (${match})`)
  if (titled.length === limit) return titled
  const all = new Map([...titled, ...(await newest(match))].map((entry) => [entry.entityUuid, entry]))
  return [...all.values()].slice(0, limit)
}

function inParts(terms: readonly string[]): string {
  return terms.map((term) => `"${term}"`).join(" AND ")
}

async function rowsOf(db: Db, query: RawBuilder<Entry>): Promise<Entry[]> {
  return (await query.execute(db)).rows
}

function holding(
  engine: Engine,
  terms: readonly string[],
  columns: readonly ("title" | "body")[] = ["title", "body"],
): RawBuilder<unknown> {
  const like = sql.raw(engine === "sqlite" ? "like" : "ilike")
  const held = terms.map((term) => {
    const pattern = `%${term.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`
    const places = columns.map((column) => sql`${sql.ref(`e.${column}`)} ${like} ${pattern} escape '\\'`)
    return sql`(${sql.join(places, sql` or `)})`
  })
  return sql`(${sql.join(held, sql` and `)})`
}

function inField(
  db: Db,
  { workspaceUuid, kinds, projectUuids, groupUuid, labels }: Field,
  project = sql`e."projectUuid"`,
): RawBuilder<unknown> {
  let projects = db.selectFrom("projects").select("uuid").where("workspaceUuid", "=", workspaceUuid)
  let groups = db.selectFrom("projectGroups").select("uuid").where("workspaceUuid", "=", workspaceUuid)
  if (groupUuid !== undefined) {
    projects = projects.where("groupUuid", "=", groupUuid)
    groups = groups.where("uuid", "=", groupUuid)
  }
  if (projectUuids !== null) projects = projects.where("uuid", "in", projectUuids)
  const inProjects = sql`${project} in ${projects}`
  const inGroups = sql`(e."entityType" = 'project_group' and e."entityUuid" in ${groups})`
  return sql`e."entityType" in (${sql.join(kinds)})
    and ${kinds.includes("project_group") ? sql`(${inProjects} or ${inGroups})` : inProjects}
    and ${labels === undefined ? sql`1 = 1` : bearingAny(labels)}`
}

function bearingAny(labels: readonly string[]): RawBuilder<unknown> {
  if (labels.length === 0) return sql`1 = 0`
  const any = sql`(${sql.join(labels.map(bears), sql` or `)})`
  const among = (table: string) => sql`${FOUND} in (select "uuid" from ${sql.table(table)} where ${any})`
  return sql`(${among("tasks")} or ${among("ideas")})`
}

function isLongEnough(term: string): boolean {
  return [...term].length >= 3
}
