import type { Db } from "@chorus/store"

const TABLES = { task: "tasks", idea: "ideas", proposal: "proposals", document: "documents" } as const

interface Named {
  readonly entityType: string
  readonly entityUuid: string
}

/** What things are called now, in one query per kind of thing. */
export async function titlesOf(db: Db, things: readonly Named[]): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  for (const [type, table] of Object.entries(TABLES)) {
    const uuids = [
      ...new Set(things.filter(({ entityType }) => entityType === type).map(({ entityUuid }) => entityUuid)),
    ]
    if (uuids.length === 0) continue
    for (const { uuid, title } of await db
      .selectFrom(table)
      .select(["uuid", "title"])
      .where("uuid", "in", uuids)
      .execute())
      titles.set(uuid, title)
  }
  return titles
}
