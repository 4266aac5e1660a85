import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sql } from "kysely"
import { deepCheck, openSqliteSnapshot, openSqliteStore, type Store } from "../src/index.ts"
import { openPostgresSnapshot } from "../src/postgres-snapshot.ts"
import { openPostgresStore } from "../src/postgres-store.ts"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { temporaryDirectory } from "@chorus/testing"
import { join } from "node:path"
import { AT, furnish, row } from "./rows.ts"

const ORIGIN = {
  workspaceUuid: "w1",
  actor: { type: "system", uuid: "s", name: "S" },
  at: AT,
  requestId: null,
} as const
const EDITED = {
  kind: "comment.edited",
  entityType: "comment",
  entityUuid: "c",
  projectUuid: null,
  action: "updated",
  patch: {},
} as const

describe.each(["sqlite", "postgres"] as const)("a look at everything in a store on %s", (engine) => {
  const directory = temporaryDirectory()
  let store: Store
  let found: () => Promise<string[]>
  beforeAll(async () => {
    const place = engine === "sqlite" ? join(directory.path, "chorus.sqlite") : await sharedDatabase()
    store = engine === "sqlite" ? await openSqliteStore(place) : await openPostgresStore(place)
    found = async () => {
      const snapshot = engine === "sqlite" ? openSqliteSnapshot(place) : await openPostgresSnapshot(place)
      return deepCheck(snapshot).finally(() => snapshot.close())
    }
    await store.write(async ({ db }) => {
      await furnish(db)
      await db
        .insertInto("tasks")
        .values([row.task({ uuid: "a", title: "A" }), row.task({ uuid: "b", title: "B" })])
        .execute()
      await db
        .insertInto("taskEdges")
        .values(row.edge({ taskUuid: "a", dependsOnUuid: "b" }))
        .execute()
    })
    for (let n = 0; n < 5; n++) await store.write(async (unit) => unit.append(ORIGIN, [EDITED]))
  })
  afterAll(async () => {
    await store.close()
    await directory.remove()
  })

  it("finds nothing where all is well, also after the oldest events were dropped", async () => {
    expect(await found()).toEqual([])
    await store.write(({ db }) => db.deleteFrom("events").where("id", "<=", 2).execute())
    expect(await found()).toEqual([])
  })

  it.each([
    ["an event that is missing", `delete from events where "id" = 4`, /lacks 1 events between 3 and 5/],
    [
      "a log that ends too early",
      `update workspaces set "lastEvent" = 9 where "uuid" = 'w1'`,
      /ends at 5, but was counted to 9/,
    ],
    ["a wrong count", `update tasks set "openDependencies" = 7 where "uuid" = 'a'`, /"A" waits for another number/],
    ["what cannot be found", `delete from "searchEntries" where "entityUuid" = 'b'`, /1 tasks cannot be found/],
  ])("tells of %s", async (_, harm, says) => {
    await store.write(({ db }) => sql.raw(harm).execute(db))
    expect(await found()).toEqual(expect.arrayContaining([expect.stringMatching(says)]))
  })
})

it("finds a reference that leads nowhere", async () => {
  await using directory = temporaryDirectory()
  const place = join(directory.path, "chorus.sqlite")
  const store = await openSqliteStore(place)
  await store.write(({ db }) => furnish(db))
  await store.close()
  const { DatabaseSync } = await import("node:sqlite")
  const database = new DatabaseSync(place)
  database.exec(`pragma foreign_keys = off; delete from workspaces`)
  database.close()
  const snapshot = openSqliteSnapshot(place)
  expect(await deepCheck(snapshot).finally(() => snapshot.close())).toEqual(
    expect.arrayContaining([expect.stringMatching(/references from projects to workspaces lead nowhere/)]),
  )
})
