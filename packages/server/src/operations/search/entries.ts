import type { search } from "@chorus/contracts"
import { type Db, type Engine, SEARCH_WORDS } from "@chorus/store"
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

export async function entryOf(db: Db, field: Field, uuid: string): Promise<Entry[]> {
  if (field.kinds.length === 0) return []
  return rowsOf(
    db,
    sql<Entry>`select ${COLUMNS} from "searchEntries" e
      where e."entityUuid" = ${uuid.toLowerCase()} and ${inField(db, field)}`,
  )
}

/**
 * Things of which some entry holds all the words, the best first: by the index, then, where it cannot see parts of
 * words, by a scan.
 */
export async function entriesWith(
  db: Db,
  engine: Engine,
  field: Field,
  terms: readonly string[],
  limit: number,
): Promise<Entry[]> {
  if (field.kinds.length === 0) return []
  const indexed = engine === "sqlite" ? await byParts(db, field, terms, limit) : await byWords(db, field, terms, limit)
  if (indexed.length >= limit || (engine === "sqlite" && terms.every(isLongEnough))) return eachOnce(indexed)
  const scanned = await rowsOf(
    db,
    sql<Entry>`select ${COLUMNS} from "searchEntries" e where ${holding(engine, terms)} and ${inField(db, field)}
      order by case when ${holding(engine, terms, ["title"])} then 0 else 1 end, e."id" desc limit ${limit}`,
  )
  return eachOnce([...indexed, ...scanned]).slice(0, limit)
}

/** A thing is found once, by its best entry. */
export function eachOnce(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>()
  return entries.filter(({ entityUuid }) => !seen.has(entityUuid) && seen.add(entityUuid))
}

/**
 * The embedded index knows every three letters in a row; shorter words are left to the scan. First what has the words in
 * its title, then the rest, each the newest first: so it ends with the page, however many there are, where weighing each
 * would read them all.
 */
async function byParts(db: Db, field: Field, terms: readonly string[], limit: number): Promise<Entry[]> {
  const long = terms.filter(isLongEnough)
  if (long.length === 0) return []
  const short = terms.filter((term) => !isLongEnough(term))
  const match = long.map((term) => `"${term}"`).join(" AND ")
  const rest = short.length === 0 ? sql`1 = 1` : holding("sqlite", short)
  const newest = (words: string) =>
    rowsOf(
      db,
      sql<Entry>`select ${COLUMNS} from "searchText" cross join "searchEntries" e on e."id" = "searchText".rowid
        where "searchText" match ${words} and ${rest} and ${inField(db, field)}
        order by "searchText".rowid desc limit ${limit}`,
    )
  const titled = await newest(`title : (${match})`)
  if (titled.length === limit) return titled
  const all = new Map([...titled, ...(await newest(match))].map((entry) => [entry.entityUuid, entry]))
  return [...all.values()].slice(0, limit)
}

/** The words find candidates by the index; what counts is, as everywhere, the text as it was typed. */
async function byWords(db: Db, field: Field, terms: readonly string[], limit: number): Promise<Entry[]> {
  const words = sql.raw(SEARCH_WORDS.replaceAll(`"title"`, `e."title"`).replaceAll(`"body"`, `e."body"`))
  const query = sql.join(
    terms.map((term) => sql`plainto_tsquery('simple', ${term})`),
    sql` && `,
  )
  return rowsOf(
    db,
    sql<Entry>`select ${COLUMNS} from "searchEntries" e
      where (${words}) @@ (${query}) and ${holding("postgres", terms)} and ${inField(db, field)}
      order by ts_rank(${words}, ${query}) desc, e."id" desc limit ${limit}`,
  )
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

function inField(db: Db, { workspaceUuid, kinds, projectUuids, groupUuid, labels }: Field): RawBuilder<unknown> {
  let projects = db.selectFrom("projects").select("uuid").where("workspaceUuid", "=", workspaceUuid)
  let groups = db.selectFrom("projectGroups").select("uuid").where("workspaceUuid", "=", workspaceUuid)
  if (groupUuid !== undefined) {
    projects = projects.where("groupUuid", "=", groupUuid)
    groups = groups.where("uuid", "=", groupUuid)
  }
  if (projectUuids !== null) projects = projects.where("uuid", "in", projectUuids)
  return sql`e."entityType" in (${sql.join(kinds)})
    and (e."projectUuid" in ${projects} or (e."entityType" = 'project_group' and e."entityUuid" in ${groups}))
    and ${labels === undefined ? sql`1 = 1` : bearingAny(labels)}`
}

function bearingAny(labels: readonly string[]): RawBuilder<unknown> {
  if (labels.length === 0) return sql`1 = 0`
  const any = sql`(${sql.join(labels.map(bears), sql` or `)})`
  return sql`(${FOUND} in (select "uuid" from tasks where ${any}) or ${FOUND} in (select "uuid" from ideas where ${any}))`
}

function isLongEnough(term: string): boolean {
  return [...term].length >= 3
}
