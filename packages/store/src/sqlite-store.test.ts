import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { sql } from "kysely"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { row } from "../test/rows.ts"
import { planMigrations, runMigrations } from "./migrate.ts"
import { SCHEMA_VERSION } from "./migrations/index.ts"
import { kyselyOver, openDatabase } from "./sqlite-database.ts"
import { openSqliteStore } from "./sqlite-store.ts"
import type { Store, Unit } from "./store.ts"

const directory = temporaryDirectory()
afterAll(() => directory.remove())

let files = 0
const newPath = () => join(directory.path, String(++files), "chorus.sqlite")

const opened: Store[] = []
async function open(path = newPath()): Promise<Store> {
  const store = await openSqliteStore(path)
  opened.push(store)
  return store
}
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

/** For what leaves no trace but workspaces. */
let store: Store
beforeAll(async () => {
  store = await openSqliteStore(newPath())
})
afterEach(() => store.write(({ db }) => db.deleteFrom("workspaces").execute()))
afterAll(() => store.close())

const addWorkspace =
  (uuid: string) =>
  ({ db }: Unit) =>
    db.insertInto("workspaces").values(row.workspace({ uuid })).execute()
const workspaces = async (of = store) =>
  (await of.db.selectFrom("workspaces").select("uuid").orderBy("uuid").execute()).map(({ uuid }) => uuid)

describe("opening the embedded store", () => {
  it("makes the folder it lies in, for its owner only", async () => {
    const path = newPath()
    await open(path)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  })

  it("makes no copy of a store that is new or needs no upgrade", async () => {
    const path = newPath()
    await (await openSqliteStore(path)).close()
    await open(path)
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith("before-"))).toEqual([])
  })

  it("keeps a copy named by the schema and the time before an upgrade, with the old schema in it", async () => {
    const path = newPath()
    const old = await oldStore(path, 3)
    const store = await openSqliteStore(path, () => new Date("2026-03-01T10:00:00.123Z"))
    opened.push(store)
    const copy = join(dirname(path), `before-schema-${SCHEMA_VERSION}-2026-03-01T10-00-00-123Z.sqlite`)
    expect(existsSync(copy)).toBe(true)
    const kept = openDatabase(copy, { readOnly: true })
    expect(kept.prepare("select max(id) as schema from migrations").get()).toMatchObject({ schema: old })
    kept.close()
    expect(await workspaces(store)).toEqual(["w1"])
  })

  it("of a file that is no database fails, and does not hold it", async () => {
    const path = newPath()
    await (await openSqliteStore(path)).close()
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true })
    writeFileSync(path, "this is a letter, not a database".repeat(100))
    await expect(openSqliteStore(path)).rejects.toThrow(/not a database/)
  })
})

describe("a change in the embedded store", () => {
  it("is seen by readers when its promise resolves, and not before", async () => {
    let seenInside: string[] = []
    await store.write(async (unit) => {
      await addWorkspace("w1")(unit)
      seenInside = await workspaces(store)
    })
    expect([seenInside, await workspaces(store)]).toEqual([[], ["w1"]])
  })

  it("sees itself", async () => {
    const inside = await store.write(async (unit) => {
      await addWorkspace("w1")(unit)
      return unit.db.selectFrom("workspaces").select("uuid").execute()
    })
    expect(inside).toEqual([{ uuid: "w1" }])
  })

  it("answers with what its work answered", async () => {
    expect(await store.write(async () => 7)).toBe(7)
  })

  it("that fails leaves no trace and takes no neighbour with it", async () => {
    const outcomes = await Promise.allSettled([
      store.write(addWorkspace("w1")),
      store.write(async (unit) => {
        await addWorkspace("w2")(unit)
        throw new Error("no")
      }),
      store.write(addWorkspace("w3")),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
    expect(await workspaces(store)).toEqual(["w1", "w3"])
  })

  it("that was undone cannot write any more, not even into a later one", async () => {
    let kept: Unit | undefined
    await expect(
      store.write(async (unit) => {
        kept = unit
        throw new Error("no")
      }),
    ).rejects.toThrow("no")
    const late = async () => kept && addWorkspace("late")(kept)
    await expect(late()).rejects.toMatchObject({ code: "change_over" })
    await store.write(addWorkspace("w1"))
    expect(await workspaces(store)).toEqual(["w1"])
  })

  it("runs what waits for its commit in order, after the commit, and not at all when it failed", async () => {
    const ran: string[] = []
    await store.write(async (unit) => {
      unit.onCommit(() => ran.push("first"))
      unit.onCommit(() => ran.push("second"))
      ran.push("work")
    })
    await store
      .write(async (unit) => {
        unit.onCommit(() => ran.push("never"))
        throw new Error("no")
      })
      .catch(() => undefined)
    expect(ran).toEqual(["work", "first", "second"])
  })

  it("is kept when the store is closed at once", async () => {
    const path = newPath()
    const store = await openSqliteStore(path)
    const writing = store.write(addWorkspace("w1"))
    await store.close()
    await writing
    expect(await workspaces(await open(path))).toEqual(["w1"])
  })

  it("for which the disk has no room is refused whole, and says what to do", async () => {
    const path = newPath()
    const store = await open(path)
    await store.write(({ db }) => sql`pragma max_page_count = 1`.execute(db))
    const filling = store.write(({ db }) =>
      db
        .insertInto("workspaces")
        .values(row.workspace({ settings: "x".repeat(2_000_000) }))
        .execute(),
    )
    await expect(filling).rejects.toMatchObject({
      code: "disk_full",
      status: 507,
      next: "Make room on that disk, then try again.",
    })
    expect(await workspaces(store)).toEqual([])
  })

  it("goes on after the disk has room again", async () => {
    const store = await open()
    await store.write(({ db }) => sql`pragma max_page_count = 1`.execute(db))
    await store
      .write(({ db }) =>
        db
          .insertInto("workspaces")
          .values(row.workspace({ settings: "x".repeat(2_000_000) }))
          .execute(),
      )
      .catch(() => undefined)
    await store.write(({ db }) => sql`pragma max_page_count = 1000000`.execute(db))
    await store.write(addWorkspace("w2"))
    expect(await workspaces(store)).toEqual(["w2"])
  })
})

describe("what the embedded store tells its own process", () => {
  it("goes to those who listen on the topic, until they stop", async () => {
    const heard: string[] = []
    const stop = store.onBroadcast("presence", (message) => heard.push(message))
    store.onBroadcast("else", () => heard.push("wrong topic"))
    await store.broadcast("presence", "one")
    stop()
    await store.broadcast("presence", "two")
    expect(heard).toEqual(["one"])
  })

  it("goes to everybody on a topic", async () => {
    const heard: string[] = []
    for (const name of ["a", "b"]) store.onBroadcast("presence", (message) => heard.push(name + message))
    await store.broadcast("presence", "!")
    expect(heard).toEqual(["a!", "b!"])
  })

  it("has no connections to count", async () => expect(store.load()).toBeUndefined())
})

/** A store as an older Chorus left it, with one workspace in it. */
async function oldStore(path: string, schema: number): Promise<number> {
  mkdirSync(dirname(path), { recursive: true })
  const database = openDatabase(path)
  const db = kyselyOver(database)
  const plan = await planMigrations(db)
  await runMigrations(db, "sqlite", { ...plan, pending: plan.pending.slice(0, schema) }, "2026-01-01T00:00:00.000Z")
  await db.insertInto("workspaces").values(row.workspace()).execute()
  database.close()
  return schema
}

describe("a check", () => {
  it.each([
    ["at once", 32_000_000],
    ["beside the work", undefined],
  ])("%s finds what no call has met, and the store knows it from then on", async (_, most) => {
    const path = newPath()
    const store = await openSqliteStore(path)
    await store.write(addWorkspace("w1"))
    expect([await store.check(most), store.damage()]).toEqual([true, undefined])
    expect(await store.check(1), "larger than asked for").toBe(false)
    await store.close()
    const database = openDatabase(path, { readOnly: true })
    const { rootpage } = database.prepare("select rootpage from sqlite_master where name = 'comments'").get() ?? {}
    database.close()
    const bytes = readFileSync(path)
    bytes.fill(0xa5, (Number(rootpage) - 1) * 4096, Number(rootpage) * 4096)
    writeFileSync(path, bytes)
    const harmed = await open(path)
    await expect(harmed.check(most)).rejects.toMatchObject({
      code: "store_damaged",
      next: expect.stringContaining("chorus restore"),
    })
    expect(harmed.damage()).toMatchObject({ code: "store_damaged" })
  })
})
