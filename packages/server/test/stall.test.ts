import { longestTurn } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { lastPosition } from "@chorus/store"
import { sql } from "kysely"
import { unifiedDiff } from "../src/operations/documents/text-diff.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

/** Nobody else may wait longer than this; twice as much, as what the test itself does is counted in. */
const MOST_MS = 40
const EVENTS = 200_000

let w: Workspace
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
  })
})
afterAll(() => w.close())

const TEXTS = [0, 1].map((side) =>
  Array.from({ length: 30_000 }, (_, n) => (n % 60 === 0 ? `s${side}` : `line${n % 9}`)).join("\n"),
)

const READS: readonly [what: string, read: () => Promise<unknown>][] = [
  ["events of a kind there is none of", () => w.call(w.owner, "chorus_list_events", { kind: "zzz.zzz" })],
  [
    "rare events of a large project",
    () => w.call(w.owner, "chorus_list_events", { kind: "idea.created", projectUuid: w.project }),
  ],
  [
    "what somebody did who did nothing",
    () => w.call(w.owner, "chorus_get_activity", { projectUuid: w.project, actorUuid: w.viewer.uuid }),
  ],
  [
    "how much somebody did",
    () => w.call(w.owner, "chorus_get_activity", { projectUuid: w.project, actorUuid: w.developer.uuid }),
  ],
  ["a word of two letters that stands nowhere", () => w.call(w.owner, "chorus_search", { query: "qq" })],
  ["a common word with one of two letters", () => w.call(w.owner, "chorus_search", { query: "title qq" })],
  ["two texts of 190 kB that differ in many lines", async () => unifiedDiff("T", TEXTS[0] ?? "", TEXTS[1] ?? "")],
]

describe(`a costly read of the embedded store, with ${EVENTS} events,`, () => {
  it.each(READS)("keeps nobody waiting: %s", async (_, read) => {
    expect(await longestTurn(read)).toBeLessThan(MOST_MS)
  })

  it("keeps nobody waiting when eight come at once", async () => {
    expect(await longestTurn(() => Promise.all(Array.from({ length: 8 }, () => READS[0]?.[1]())))).toBeLessThan(
      8 * MOST_MS,
    )
  })
})
