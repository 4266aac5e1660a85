import { search as contract } from "@chorus/contracts"
import { searchTerms, shortIdOf, snippet } from "@chorus/core"
import type { Db } from "@chorus/store"
import { sql } from "kysely"
import { costly, mayRead, pageIn } from "../../operation.ts"
import { uuidOfShortId } from "../projects/short-ids.ts"
import { spellings } from "../labels/labels.ts"
import { eachOnce, entriesOf, entriesWith, type Entry, type Field } from "./entries.ts"

/** Who has more than this to look through asks more narrowly. */
const MOST_ENTRIES = 500
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export const search = costly(
  contract.search,
  async ({ db, engine, actor }, { query, scope, scopeUuid, entityTypes, label, ...pages }) => {
    const readable = contract.SearchKind.options.filter((kind) =>
      mayRead(actor, kind === "project_group" ? "project" : kind),
    )
    const reach = actor.projectUuids === null ? null : [...actor.projectUuids]
    const field: Field = {
      workspaceUuid: actor.workspaceUuid,
      kinds: readable.filter(
        (kind) => (entityTypes?.includes(kind) ?? true) && (scope !== "project" || kind !== "project_group"),
      ),
      projectUuids: scope === "project" && scopeUuid !== undefined ? [scopeUuid] : reach,
      groupUuid: scope === "group" ? scopeUuid : undefined,
      labels: label === undefined ? undefined : await spellings(db, label),
    }
    const terms = searchTerms(query)
    const shortId = shortIdOf(query)
    const named = shortId === undefined ? undefined : await uuidOfShortId(db, actor, shortId)
    const meant = [...(named === undefined ? [] : [named]), ...(UUID.test(query) ? [query.toLowerCase()] : [])]
    const exact = await entriesOf(db, field, [...meant, ...(await uuidsCalledThere(db, field, query))])
    const { entries, isCut } = await entriesWith(db, engine, field, terms, MOST_ENTRIES)
    const found = pageIn(eachOnce([...exact, ...entries]), pages)
    const results = await asResults(db, found.rows, terms)
    const count = (kind: contract.SearchKind) => results.filter((result) => result.entityType === kind).length
    return {
      results,
      counts: {
        tasks: count("task"),
        ideas: count("idea"),
        proposals: count("proposal"),
        documents: count("document"),
        projects: count("project"),
        projectGroups: count("project_group"),
      },
      ...(isCut ? { cut: true as const } : {}),
      ...found.page,
    }
  },
)

/** Tasks that were brought from a tracker where they are called so: `AB-1`, `#12`, `bd-a1b2.1`. */
async function uuidsCalledThere(db: Db, { workspaceUuid, projectUuids }: Field, query: string): Promise<string[]> {
  const key = query.trim().replace(/^#/, "").toLowerCase()
  const called = db
    .selectFrom("importedItems as i")
    .innerJoin("tasks as t", "t.uuid", "i.uuid")
    .innerJoin("projects as p", "p.uuid", "t.projectUuid")
    .select("i.uuid")
    .where(({ fn }) => fn<string>("lower", ["i.key"]), "=", key)
    .where("p.workspaceUuid", "=", workspaceUuid)
    .limit(MOST_ENTRIES)
  const within = projectUuids === null ? called : called.where("p.uuid", "in", projectUuids)
  return (await within.execute()).map(({ uuid }) => uuid)
}

async function asResults(
  db: Db,
  entries: readonly Entry[],
  terms: readonly string[],
): Promise<contract.SearchResult[]> {
  const standing = await standingOf(db, entries)
  const ids = entries.map(({ id }) => id)
  const texts = await db.selectFrom("searchEntries").select(["id", "body"]).where("id", "in", ids).execute()
  const bodies = new Map(texts.map(({ id, body }) => [id, body]))
  const projectUuids = [...new Set(entries.flatMap((entry) => entry.projectUuid ?? []))]
  const projects = await db.selectFrom("projects").select(["uuid", "name"]).where("uuid", "in", projectUuids).execute()
  const projectNames = new Map(projects.map((row) => [row.uuid, row.name]))
  return entries.flatMap(({ id, entityType, entityUuid, projectUuid }) => {
    const stands = standing.get(entityUuid)
    if (stands === undefined) return []
    const projectName = projectUuid === null ? null : (projectNames.get(projectUuid) ?? null)
    const found = snippet(bodies.get(id) || stands.title, terms)
    return [{ entityType, uuid: entityUuid, snippet: found, ...stands, projectUuid, projectName }]
  })
}

type Standing = Pick<contract.SearchResult, "shortId" | "title" | "status" | "updatedAt">

/** Where each kind keeps its title and, where it has them, its status and short id. */
const PLACES = {
  task: ["tasks", "title", sql.ref("status"), sql.ref("shortId")],
  idea: ["ideas", "title", sql.ref("status"), sql.ref("shortId")],
  proposal: ["proposals", "title", sql.ref("status"), sql`null`],
  document: ["documents", "title", sql`null`, sql`null`],
  project: ["projects", "name", sql.ref("status"), sql`null`],
  project_group: ["projectGroups", "name", sql`null`, sql`null`],
} as const satisfies Record<contract.SearchKind, readonly unknown[]>

/** Title, status, short id and age of what was found, one query per kind. */
async function standingOf(db: Db, entries: readonly Entry[]): Promise<Map<string, Standing>> {
  const found = new Map<string, Standing>()
  for (const [kind, ofKind] of Map.groupBy(entries, ({ entityType }) => entityType)) {
    const [table, title, status, shortId] = PLACES[kind]
    const { rows } = await sql<Omit<Standing, "shortId"> & { uuid: string; shortId: string | null }>`
      select "uuid", ${sql.ref(title)} as "title", ${status} as "status", ${shortId} as "shortId", "updatedAt" from ${sql.table(table)}
      where "uuid" in (${sql.join(ofKind.map(({ entityUuid }) => entityUuid))})`.execute(db)
    for (const { uuid, shortId: called, ...row } of rows)
      found.set(uuid, { ...row, ...(called === null ? {} : { shortId: called }) })
  }
  return found
}
