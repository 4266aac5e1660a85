import { search as contract } from "@chorus/contracts"
import { searchTerms, shortIdOf, snippet } from "@chorus/core"
import type { Db } from "@chorus/store"
import { mayRead, operation } from "../../operation.ts"
import { uuidOfShortId } from "../projects/short-ids.ts"
import { spellings } from "../labels/labels.ts"
import { type Entry, entriesWith, entryOf, type Field } from "./entries.ts"

const MOST_RESULTS = 50
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export const search = operation(
  contract.search,
  async ({ db, engine, actor }, { query, scope, scopeUuid, entityTypes, label }) => {
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
    const exact = named !== undefined || UUID.test(query) ? await entryOf(db, field, named ?? query) : []
    const others = terms.length === 0 ? [] : await entriesWith(db, engine, field, terms, MOST_RESULTS)
    const found = [...exact, ...others.filter((entry) => entry.entityUuid !== exact[0]?.entityUuid)].slice(
      0,
      MOST_RESULTS,
    )
    const results = await asResults(db, found, terms)
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
    }
  },
)

async function asResults(
  db: Db,
  entries: readonly Entry[],
  terms: readonly string[],
): Promise<contract.SearchResult[]> {
  const standing = await standingOf(db, entries)
  const projectUuids = [...new Set(entries.flatMap((entry) => entry.projectUuid ?? []))]
  const projects = await db.selectFrom("projects").select(["uuid", "name"]).where("uuid", "in", projectUuids).execute()
  const projectNames = new Map(projects.map((row) => [row.uuid, row.name]))
  return entries.flatMap(({ entityType, entityUuid, projectUuid, title, body }) => {
    const stands = standing.get(entityUuid)
    if (stands === undefined) return []
    const projectName = projectUuid === null ? null : (projectNames.get(projectUuid) ?? null)
    const found = snippet(body === "" ? title : body, terms)
    return [{ entityType, uuid: entityUuid, title, snippet: found, ...stands, projectUuid, projectName }]
  })
}

/** Status and age of what was found, one query per kind. */
async function standingOf(
  db: Db,
  entries: readonly Entry[],
): Promise<Map<string, { status: string | null; updatedAt: string }>> {
  const found = new Map<string, { status: string | null; updatedAt: string }>()
  const TABLES = { task: "tasks", idea: "ideas", proposal: "proposals", project: "projects" } as const
  const uuids = (kind: string) => entries.filter((entry) => entry.entityType === kind).map((entry) => entry.entityUuid)
  for (const [kind, table] of Object.entries(TABLES)) {
    if (uuids(kind).length === 0) continue
    for (const row of await db
      .selectFrom(table)
      .select(["uuid", "status", "updatedAt"])
      .where("uuid", "in", uuids(kind))
      .execute())
      found.set(row.uuid, { status: row.status, updatedAt: row.updatedAt })
  }
  for (const [kind, table] of [
    ["document", "documents"],
    ["project_group", "projectGroups"],
  ] as const) {
    if (uuids(kind).length === 0) continue
    for (const row of await db
      .selectFrom(table)
      .select(["uuid", "updatedAt"])
      .where("uuid", "in", uuids(kind))
      .execute())
      found.set(row.uuid, { status: null, updatedAt: row.updatedAt })
  }
  return found
}
