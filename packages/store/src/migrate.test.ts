import { DatabaseSync } from "node:sqlite"
import { sql } from "kysely"
import { describe, expect, it } from "vitest"
import { memoryStore } from "../test/memory.ts"
import { AT, furnish, row } from "../test/rows.ts"
import { planMigrations, runMigrations } from "./migrate.ts"
import { migrations, SCHEMA_VERSION } from "./migrations/index.ts"
import type { Migration } from "./migrations/migration.ts"
import type { Db } from "./schema/index.ts"
import { kyselyOver } from "./sqlite-database.ts"

const step = (id: number, ...statements: string[]): Migration => ({
  id,
  name: `step ${id}`,
  statements: () => statements,
})
const empty = () => kyselyOver(new DatabaseSync(":memory:"))
const applied = (db: Db) => db.selectFrom("migrations").selectAll().orderBy("id").execute()

describe("the plan of migrations", () => {
  it("for a new store is all of them, from zero", async () => {
    const { from, pending } = await planMigrations(empty())
    expect(from).toBe(0)
    expect(pending.map(({ id }) => id)).toEqual(migrations.map(({ id }) => id))
  })

  it("for a store at the present schema is none", async () => {
    const { db } = await memoryStore()
    expect(await planMigrations(db)).toEqual({ from: SCHEMA_VERSION, pending: [] })
  })

  it("for an older store is what came since", async () => {
    const { db } = await memoryStore(3)
    const { from, pending } = await planMigrations(db)
    expect([from, ...pending]).toEqual([3, ...migrations.slice(3)])
  })

  it("can be made twice: looking changes nothing", async () => {
    const db = empty()
    expect((await planMigrations(db)).pending).toHaveLength(migrations.length)
    expect((await planMigrations(db)).pending).toHaveLength(migrations.length)
  })

  it("refuses what a newer Chorus wrote, and says what to do", async () => {
    const { db } = await memoryStore()
    await db
      .insertInto("migrations")
      .values({ id: SCHEMA_VERSION + 1, name: "future", appliedAt: AT })
      .execute()
    await expect(planMigrations(db)).rejects.toMatchObject({
      code: "schema_newer",
      status: 500,
      message: `This data was written by a newer Chorus (schema ${SCHEMA_VERSION + 1}; this one knows ${SCHEMA_VERSION}).`,
      next: "Start the newer Chorus again, or restore a backup made before the upgrade.",
    })
  })
})

describe("running migrations", () => {
  it("notes each with its name and time", async () => {
    const db = empty()
    const steps = [
      step(1, "create table a (x integer)"),
      step(2, "create table b (x integer)", "insert into b values (7)"),
    ]
    await runMigrations(db, "sqlite", await planMigrations(db, steps), AT)
    expect(await applied(db)).toEqual([
      { id: 1, name: "step 1", appliedAt: AT },
      { id: 2, name: "step 2", appliedAt: AT },
    ])
    expect((await sql`select x from b`.execute(db)).rows).toEqual([{ x: 7 }])
  })

  it("runs none twice", async () => {
    const db = empty()
    const steps = [step(1, "create table a (x integer)")]
    await runMigrations(db, "sqlite", await planMigrations(db, steps), AT)
    await runMigrations(db, "sqlite", await planMigrations(db, steps), AT)
    expect(await applied(db)).toHaveLength(1)
  })

  it("leaves nothing of a step that fails, when the change around it is undone", async () => {
    const database = new DatabaseSync(":memory:")
    const db = kyselyOver(database)
    const plan = await planMigrations(db, [
      step(1, "create table a (x integer)"),
      step(2, "create table b (x integer)", "no sql"),
    ])
    database.exec("begin")
    await expect(runMigrations(db, "sqlite", plan, AT)).rejects.toThrow(/syntax/)
    database.exec("rollback")
    expect(database.prepare("select name from sqlite_master where name in ('a', 'b')").all()).toEqual([])
    expect(await applied(db)).toEqual([])
  })

  it("tells each step which engine it is for", async () => {
    const asked: string[] = []
    const db = empty()
    await runMigrations(
      db,
      "sqlite",
      await planMigrations(db, [{ id: 1, name: "asks", statements: (engine) => (asked.push(engine), []) }]),
      AT,
    )
    expect(asked).toEqual(["sqlite"])
  })
})

describe("the migrations there are", () => {
  it("have names of their own", () => {
    expect(new Set(migrations.map(({ name }) => name)).size).toBe(migrations.length)
  })

  it.each([1, 2, 3, 4, 5, 6, 7])("bring a store of schema %i forward with what is in it", async (schema) => {
    const { db } = await memoryStore(schema)
    await furnish(db)
    await runMigrations(db, "sqlite", await planMigrations(db), AT)
    expect((await planMigrations(db)).from).toBe(SCHEMA_VERSION)
    expect(await db.selectFrom("users").selectAll().execute()).toEqual([row.user()])
    expect(await db.selectFrom("projects").selectAll().execute()).toEqual([
      { ...row.project(), key: "HOUS", lastNumber: 0 },
    ])
  })

  it("end at the same tables from wherever they began", async () => {
    const tablesAfter = async (schema: number) => {
      const { database, db } = await memoryStore(schema)
      await runMigrations(db, "sqlite", await planMigrations(db), AT)
      return database.prepare("select name, sql from sqlite_master order by name").all()
    }
    const fresh = await tablesAfter(SCHEMA_VERSION)
    for (const schema of [0, 2, 5]) expect(await tablesAfter(schema)).toEqual(fresh)
  })

  it("find by text what was written before there was a search", async () => {
    const { db } = await memoryStore(4)
    await furnish(db)
    await db
      .insertInto("tasks")
      .values(row.task({ title: "An old door" }))
      .execute()
    await runMigrations(db, "sqlite", await planMigrations(db), AT)
    const { rows } = await sql<{
      title: string
    }>`select "title" from "searchText" where "searchText" match '"old door"'`.execute(db)
    expect(rows).toEqual([{ title: "An old door" }])
  })

  it("drop only what another table has taken over", () => {
    const statements = migrations.flatMap((migration) => migration.statements("sqlite"))
    expect(statements.filter((statement) => /^\s*drop (table|index)/i.test(statement))).toEqual([
      'drop table "webhookDeliveries"',
      'drop table "pushMessages"',
      'drop table "teamOrders"',
      'drop table "documentVersions"',
      'drop table "attentionsBefore"',
      "drop index runs_task",
      "drop index tasks_board",
      "drop index tasks_ready",
      'drop table "runSpend"',
      "drop index tasks_created",
      "drop index task_edges_project",
      'drop table "landingsBefore"',
    ])
  })
})
