import { expect, it } from "vitest"
import { memoryStore } from "../../test/memory.ts"
import { AT, furnish, row } from "../../test/rows.ts"
import { planMigrations, runMigrations } from "../migrate.ts"
import { shortIdsMigration } from "./0013-short-ids.ts"

it("numbers what older data holds: each project a key, its tasks and ideas in the order they came", async () => {
  const { db } = await memoryStore(shortIdsMigration.id - 1)
  await furnish(db)
  const project = (uuid: string, name: string) => row.project({ uuid, name })
  const later = "2026-04-01T10:00:00.000Z"
  await db
    .insertInto("projects")
    .values([project("p2", "house two"), project("p3", "小店"), project("p4", "猫")])
    .execute()
  await db
    .insertInto("tasks")
    .values([row.task({ uuid: "t1", createdAt: AT }), row.task({ uuid: "t2", createdAt: later })])
    .execute()
  const { labels: _, ...idea } = row.idea({ uuid: "i1", createdAt: "2026-03-20T10:00:00.000Z" })
  await db
    .insertInto("ideas")
    .values(idea as typeof idea & { labels: string })
    .execute()

  await runMigrations(db, "sqlite", await planMigrations(db), AT)

  const projects = await db.selectFrom("projects").select(["uuid", "key", "lastNumber"]).orderBy("uuid").execute()
  expect(projects.map(({ uuid, key, lastNumber }) => [uuid, key, lastNumber])).toEqual([
    ["p1", "HOUS", 3],
    ["p2", "HOUS2", 0],
    ["p3", "PROJ", 0],
    ["p4", "PROJ2", 0],
  ])
  const tasks = await db.selectFrom("tasks").select(["uuid", "shortId"]).orderBy("uuid").execute()
  expect(tasks.map(({ shortId }) => shortId)).toEqual(["HOUS-1", "HOUS-3"])
  expect(await db.selectFrom("ideas").select("shortId").executeTakeFirst()).toEqual({ shortId: "HOUS-2" })
})
