import { longestTurn } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { lastPosition } from "@chorus/store"
import { sql } from "kysely"
import { jsonText } from "../src/doors/json-text.ts"
import { type Actor, operations, Registry } from "../src/index.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

/** Twice the yardstick of some twenty milliseconds, as what the test itself does is counted in. */
const MOST = 2
const EVENTS = 200_000
const TASKS = 20_000

const TEXTS = [0, 1].map((side) =>
  Array.from({ length: 30_000 }, (_, n) => (n % 60 === 0 ? `s${side}` : `line${n % 9}`)).join("\n"),
)

let w: Workspace
let documentUuid: string
beforeAll(async () => {
  w = await openWorkspace()
  await w.store.write(async ({ db }) => {
    const last = await lastPosition(db, w.workspaceUuid)
    await sql`with recursive n(n) as (select 1 union all select n + 1 from n where n < ${EVENTS})
      insert into events ("workspaceUuid", "id", "at", "kind", "entityType", "entityUuid", "projectUuid", "action", "patch",
        "actorType", "actorUuid", "actorName")
      select ${w.workspaceUuid}, ${last} + n, '2026-01-01T00:00:00.000Z', 'task.updated', 'task', 'u' || n, ${w.project},
        'updated', '{}', 'agent', ${w.developer.uuid}, 'Dev' from n`.execute(db)
    await db
      .updateTable("workspaces")
      .set({ lastEvent: last + EVENTS })
      .where("uuid", "=", w.workspaceUuid)
      .execute()
    await sql`with recursive n(n) as (select 1 union all select n + 1 from n where n < 8000)
      insert into "searchEntries" ("entityType", "entityUuid", "projectUuid", "title", "body")
      select 'task', 'e' || n, ${w.project}, 'Title ' || n, hex(randomblob(100)) from n`.execute(db)
    await sql`with recursive n(n) as (select 1 union all select n + 1 from n where n < ${TASKS})
      insert into tasks ("uuid", "projectUuid", "title", "status", "priority", "createdByType", "createdByUuid", "createdAt", "updatedAt")
      select printf('%08d', n), ${w.otherProject}, 'Task ' || n, 'open', 'low', 'agent', ${w.developer.uuid}, printf('%08d', n), '' from n`.execute(
      db,
    )
    await sql`insert into "taskEdges" ("taskUuid", "dependsOnUuid", "projectUuid", "createdAt")
      select uuid, printf('%08d', uuid - back), "projectUuid", '' from tasks, (select 1 as back union select 6)
      where "projectUuid" = ${w.otherProject} and uuid > back`.execute(db)
  })
  const [before = "", after = ""] = TEXTS
  const document = { projectUuid: w.project, title: "Design", type: "spec", content: before }
  documentUuid = (await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_document", document)).uuid
  await w.call(w.owner, "chorus_pm_update_document", { documentUuid, content: after })
})
afterAll(() => w.close())

/** As a door answers it, by a server that has kept nothing: it knows the store by another name. */
async function answered(registry: Registry, actor: Actor, name: string, input: object): Promise<string> {
  return jsonText((await registry.execute(name, input, { actor, requestId: "r" })) as object)
}

const newRegistry = () => new Registry({ ...w.store, db: w.store.db.withoutPlugins() }, operations)

const READS: readonly [what: string, name: string, input: () => object][] = [
  ["events of a kind there is none of", "chorus_list_events", () => ({ kind: "zzz.zzz" })],
  ["rare events of a large project", "chorus_list_events", () => ({ kind: "idea.created", projectUuid: w.project })],
  [
    "what somebody did who did nothing",
    "chorus_get_activity",
    () => ({ projectUuid: w.project, actorUuid: w.viewer.uuid }),
  ],
  ["how much somebody did", "chorus_get_activity", () => ({ projectUuid: w.project, actorUuid: w.developer.uuid })],
  ["a word of two letters that stands nowhere", "chorus_search", () => ({ query: "qq" })],
  ["a common word with one of two letters", "chorus_search", () => ({ query: "title qq" })],
  [
    "two texts of 190 kB that differ in many lines",
    "chorus_diff_versions",
    () => ({ targetType: "document", targetUuid: documentUuid, from: 1 }),
  ],
  [`the graph of ${TASKS} tasks`, "chorus_get_task_graph", () => ({ projectUuid: w.otherProject })],
  [`the board of ${TASKS} tasks`, "chorus_get_board", () => ({ projectUuid: w.otherProject })],
]

describe(`a costly read of the embedded store, with ${EVENTS} events,`, () => {
  it.each(READS)("keeps nobody waiting: %s", async (_, name, input) => {
    expect(await longestTurn(MOST, () => answered(newRegistry(), w.owner, name, input()))).toBeLessThan(MOST)
  })

  it.each(READS)("keeps nobody waiting when eight come at once: %s", { tags: ["stress"] }, async (_, name, input) => {
    const eight = async () => {
      const registry = newRegistry()
      await Promise.all(Array.from({ length: 8 }, () => answered(registry, w.owner, name, input())))
    }
    expect(await longestTurn(MOST, eight)).toBeLessThan(MOST)
  })

  it("keeps nobody waiting when people and agents ask at once", async () => {
    const callers = [w.owner, w.pm, w.developer]
    const all = async () => {
      const registry = newRegistry()
      const asked = callers.flatMap((caller) =>
        READS.map(([, name, input]) => answered(registry, caller, name, input())),
      )
      await Promise.all(asked)
    }
    expect(await longestTurn(MOST, all)).toBeLessThan(MOST)
  })
})
