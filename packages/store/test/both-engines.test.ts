import { sharedDatabase } from "@chorus/testing/shared-database"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sql } from "kysely"
import { waitFor } from "@chorus/testing"
import { openPostgresStore } from "../src/postgres-store.ts"
import { type Db, lock, SCHEMA_VERSION, type Store, tryLock } from "../src/index.ts"
import { readTables } from "../src/table-map.ts"
import { freshStore } from "./engines.ts"
import { memoryStore } from "./memory.ts"
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
  projectUuid: null,
  action: "updated",
  patch: {},
} as const

describe.each(["sqlite", "postgres"] as const)("on %s", (engine) => {
  let store: Store
  beforeAll(async () => {
    ;({ store } = await freshStore(engine))
    await store.write(({ db }) => furnish(db))
  })
  afterAll(() => store.close())

  const opensOf = async (uuid: string) =>
    (await store.db.selectFrom("tasks").select("openDependencies").where("uuid", "=", uuid).executeTakeFirstOrThrow())
      .openDependencies

  it("a task counts what it waits for, through edges, steps and their undoing", async () => {
    await store.write(({ db }) =>
      db
        .insertInto("tasks")
        .values(["a", "b", "c"].map((uuid) => row.task({ uuid })))
        .execute(),
    )
    await store.write(({ db }) =>
      db
        .insertInto("taskEdges")
        .values([row.edge({ taskUuid: "a", dependsOnUuid: "b" }), row.edge({ taskUuid: "a", dependsOnUuid: "c" })])
        .execute(),
    )
    expect(await opensOf("a")).toBe(2)
    await store.write(({ db }) => db.updateTable("tasks").set({ status: "done" }).where("uuid", "=", "b").execute())
    expect(await opensOf("a")).toBe(1)
    await store.write(({ db }) =>
      db.updateTable("tasks").set({ status: "in_progress" }).where("uuid", "=", "b").execute(),
    )
    expect(await opensOf("a")).toBe(2)
    await store.write(({ db }) => db.deleteFrom("taskEdges").where("dependsOnUuid", "=", "b").execute())
    expect(await opensOf("a")).toBe(1)
  })

  it("a dependency that finishes while an edge to it is made is counted right", async () => {
    const names = Array.from({ length: 12 }, (_, n) => n)
    await store.write(({ db }) =>
      db
        .insertInto("tasks")
        .values(names.flatMap((n) => [row.task({ uuid: `from${n}` }), row.task({ uuid: `to${n}` })]))
        .execute(),
    )
    await Promise.all(
      names.flatMap((n) => [
        store.write(({ db }) =>
          db
            .insertInto("taskEdges")
            .values(row.edge({ taskUuid: `from${n}`, dependsOnUuid: `to${n}` }))
            .execute(),
        ),
        store.write(({ db }) => db.updateTable("tasks").set({ status: "done" }).where("uuid", "=", `to${n}`).execute()),
      ]),
    )
    expect(await Promise.all(names.map((n) => opensOf(`from${n}`)))).toEqual(names.map(() => 0))
  })

  it("criteria are counted, and retired ones are not", async () => {
    await store.write(({ db }) =>
      db
        .insertInto("tasks")
        .values(row.task({ uuid: "counted" }))
        .execute(),
    )
    await store.write(({ db }) =>
      db
        .insertInto("criteria")
        .values([
          row.criterion({ uuid: "k1", taskUuid: "counted", status: "passed" }),
          row.criterion({ uuid: "k2", taskUuid: "counted", devStatus: "passed" }),
        ])
        .execute(),
    )
    await store.write(({ db }) => db.updateTable("criteria").set({ retiredAt: AT }).where("uuid", "=", "k1").execute())
    const counts = await store.db
      .selectFrom("tasks")
      .select(["criteriaTotal", "criteriaPassed", "criteriaChecked"])
      .where("uuid", "=", "counted")
      .executeTakeFirstOrThrow()
    expect(counts).toEqual({ criteriaTotal: 1, criteriaPassed: 0, criteriaChecked: 1 })
  })

  it("text is found while it is there, by its present words", async () => {
    const titles = async () =>
      await store.db
        .selectFrom("searchEntries")
        .select(["title", "body", "projectUuid"])
        .where("entityUuid", "=", "sought")
        .execute()
    await store.write(({ db }) =>
      db
        .insertInto("ideas")
        .values(row.idea({ uuid: "sought", title: "An oak door" }))
        .execute(),
    )
    expect(await titles()).toEqual([{ title: "An oak door", body: "", projectUuid: "p1" }])
    await store.write(({ db }) =>
      db.updateTable("ideas").set({ title: "A steel door", content: "heavy" }).where("uuid", "=", "sought").execute(),
    )
    expect(await titles()).toEqual([{ title: "A steel door", body: "heavy", projectUuid: "p1" }])
    await store.write(({ db }) => db.deleteFrom("ideas").where("uuid", "=", "sought").execute())
    expect(await titles()).toEqual([])
  })

  it("numbers come as numbers, bytes as bytes, and text with every character but null", async () => {
    const content = Buffer.from([0, 255, 10])
    await store.write(({ db }) =>
      db
        .insertInto("attachmentFiles")
        .values({
          uuid: "f1",
          projectUuid: "p1",
          targetType: "task",
          targetUuid: "t",
          name: "ü€😀\n'\"",
          mediaType: "a/b",
          size: 9_007_199_254_740_991,
          sha256: "x",
          content,
          createdByType: "user",
          createdByUuid: "u1",
          createdAt: AT,
        })
        .execute(),
    )
    const file = await store.db
      .selectFrom("attachmentFiles")
      .select(["name", "size", "content"])
      .executeTakeFirstOrThrow()
    expect([file.name, file.size, [...file.content]]).toEqual(["ü€😀\n'\"", 9_007_199_254_740_991, [0, 255, 10]])
    const { count } = await store.db
      .selectFrom("users")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow()
    expect(count).toBe(1)
  })

  it("a person's address is one in whatever case", async () => {
    await store.write(({ db }) =>
      db
        .insertInto("users")
        .values(row.user({ uuid: "e1", email: "ada@example.org" }))
        .execute(),
    )
    await expect(
      store.write(({ db }) =>
        db
          .insertInto("users")
          .values(row.user({ uuid: "e2", email: "ADA@EXAMPLE.org" }))
          .execute(),
      ),
    ).rejects.toThrow(/unique/i)
  })

  it("what waits for a commit runs after it, and never after a failure", async () => {
    const ran: string[] = []
    await store.write(async (unit) => unit.onCommit(() => ran.push("kept")))
    await store
      .write(async (unit) => {
        unit.onCommit(() => ran.push("undone"))
        throw new Error("no")
      })
      .catch(() => undefined)
    expect(ran).toEqual(["kept"])
  })

  it("what is written later is kept with its change, and undoes it where it fails", async () => {
    const idea = (uuid: string) => row.idea({ uuid, title: "later" })
    await store.write(async ({ db, later }) => later(db.insertInto("ideas").values(idea("late"))))
    const failed = store.write(async ({ db, later }) => {
      await db.insertInto("ideas").values(idea("beside")).execute()
      later(db.insertInto("ideas").values(idea("late")))
    })
    await expect(failed).rejects.toThrow(/unique|duplicate/i)
    const kept = await store.db.selectFrom("ideas").select("uuid").where("title", "=", "later").execute()
    expect(kept).toEqual([{ uuid: "late" }])
  })

  it("what nobody waits for is kept with its change, and undoes it where it fails", async () => {
    const added = (db: Db, uuid: string) => db.insertInto("ideas").values(row.idea({ uuid, title: "besides" }))
    await store.write(async ({ db, besides }) => besides(added(db, "at once")))
    const failed = store.write(async ({ db, besides }) => {
      besides(added(db, "at once"))
      besides(added(db, "with it"))
    })
    await expect(failed).rejects.toThrow(/unique|duplicate/i)
    const first = store.write(async ({ db, besides }) => {
      besides(added(db, "at once"))
      throw new Error("first of all")
    })
    await expect(first).rejects.toThrow("first of all")
    const kept = await store.db.selectFrom("ideas").select("uuid").where("title", "=", "besides").execute()
    expect(kept).toEqual([{ uuid: "at once" }])
  })

  it("tables are known by the same names, kinds, keys and parents", async () => {
    const { db } = await memoryStore()
    const facts = async (of: Store["db"], which: typeof engine) =>
      (await readTables(of, which))
        .filter(({ name }) => name !== "searchEntries")
        .map(({ name, columns, primaryKey, parents }) => ({
          name,
          columns: [...columns].sort((a, b) => (a.name < b.name ? -1 : 1)),
          primaryKey,
          parents: [...parents].sort(),
        }))
    expect(await facts(store.db, engine)).toEqual(await facts(db, "sqlite"))
  })

  it("a listener that stopped hears no more", async () => {
    const heard: string[] = []
    const stop = store.onGrowth(() => heard.push("stopped"))
    stop()
    store.onGrowth(() => heard.push("listening"))
    await store.write(async (unit) =>
      unit.append({ workspaceUuid: "w1", actor: { type: "system", uuid: "s", name: "S" }, at: AT, requestId: null }, [
        {
          kind: "task.updated",
          entityType: "task",
          entityUuid: "t",
          projectUuid: null,
          action: "updated",
          patch: {},
        },
      ]),
    )
    await waitFor(() => heard.length > 0, 60_000, "growth to be told")
    expect(heard).toEqual(["listening"])
  })
})

describe("on PostgreSQL alone", () => {
  it("a lock is free again when the change that held it failed", async () => {
    const { store } = await freshStore("postgres")
    await store
      .write(async (unit) => {
        await lock(unit, "chore")
        throw new Error("no")
      })
      .catch(() => undefined)
    expect(await store.write((unit) => tryLock(unit, "chore"))).toBe(true)
    await store.close()
  })

  it("a broadcast of 7,900 bytes arrives whole", async () => {
    const { store } = await freshStore("postgres")
    const heard: string[] = []
    store.onBroadcast("presence", (message) => heard.push(message))
    const message = "é".repeat(3950)
    await store.broadcast("presence", message)
    await waitFor(() => heard.length > 0, 60_000, "the broadcast")
    expect(heard).toEqual([message])
    await store.close()
  })

  it("a change that met another is tried again, and both hold", async () => {
    const { store } = await freshStore("postgres")
    await store.write(({ db }) => db.insertInto("workspaces").values(row.workspace()).execute())
    let tries = 0
    const count = () =>
      store.write(async ({ db }) => {
        tries++
        await sql`set transaction isolation level serializable`.execute(db)
        const { lastEvent } = await db.selectFrom("workspaces").select("lastEvent").executeTakeFirstOrThrow()
        await db
          .updateTable("workspaces")
          .set({ lastEvent: lastEvent + 1 })
          .execute()
      })
    await Promise.all([count(), count(), count()])
    const { lastEvent } = await store.db.selectFrom("workspaces").select("lastEvent").executeTakeFirstOrThrow()
    expect(lastEvent).toBe(3)
    expect(tries).toBeGreaterThanOrEqual(3)
    await store.close()
  })

  it("a server that is not there is told as one to try again with", async () => {
    await expect(openPostgresStore("postgres://chorus@127.0.0.1:1/none")).rejects.toMatchObject({
      code: "store_unavailable",
      status: 503,
    })
  })

  it("its connections are counted", async () => {
    const { store } = await freshStore("postgres")
    await store.write(async ({ db }) => {
      await sql`select 1`.execute(db)
      const load = store.load()
      expect(load?.open).toBeGreaterThan(load?.idle ?? 0)
    })
    expect(store.load()).toMatchObject({ waiting: 0 })
    await store.close()
  })

  it("its connections are seventeen at most, however much is asked", async () => {
    const url = await sharedDatabase()
    const store = await openPostgresStore(url)
    await store.write(({ db }) => furnish(db))
    const ours = sql<{ count: number }>`
      select count(*) as "count" from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`
    const busy = Array.from({ length: 40 }, async (_, n) => {
      await store.db.selectFrom("users").selectAll().execute()
      await store.write(async ({ db, append }) => {
        await sql`select pg_sleep(0.05)`.execute(db)
        append(ORIGIN, [{ ...EDITED, entityUuid: String(n) }])
      })
    })
    const counted = await store.write(async ({ db }) => ours.execute(db))
    await Promise.all(busy)
    const { rows } = await ours.execute(store.db)
    expect(Math.max(...[...counted.rows, ...rows].map(({ count }) => count))).toBeLessThanOrEqual(17)
    await store.close()
  })

  it("many that open an empty database at once make one schema", async () => {
    const url = await sharedDatabase()
    const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore(url)))
    const steps = await stores[0]?.db.selectFrom("migrations").select("id").orderBy("id").execute()
    expect(steps?.map(({ id }) => id)).toEqual(Array.from({ length: SCHEMA_VERSION }, (_, n) => n + 1))
    for (const store of stores) await store.close()
  })
})
