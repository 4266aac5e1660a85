import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { sql } from "kysely"
import { afterAll, describe, expect, it } from "vitest"
import { AT, row } from "../test/rows.ts"
import { memoryStore } from "../test/memory.ts"
import { kyselyOver, openDatabase } from "./sqlite-database.ts"

const directory = temporaryDirectory()
afterAll(() => directory.remove())

let files = 0
const newPath = () => join(directory.path, `${++files}.sqlite`)

describe("the embedded file", () => {
  it("is opened for durable commits, with readers beside the writer and references checked", () => {
    const database = openDatabase(newPath())
    const pragma = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
    expect({
      journal: pragma("journal_mode"),
      synchronous: pragma("synchronous"),
      keys: pragma("foreign_keys"),
    }).toEqual({ journal: "wal", synchronous: 2, keys: 1 })
    database.close()
  })

  it("opened to read is not written to", () => {
    const path = newPath()
    openDatabase(path).close()
    const reader = openDatabase(path, { readOnly: true })
    expect(() => reader.exec("create table a (x)")).toThrow(/readonly/)
    reader.close()
  })

  it("that is not there is not made by a reader", () => {
    expect(() => openDatabase(newPath(), { readOnly: true })).toThrow(/unable to open/)
  })

  it("shows a reader nothing that is not committed", () => {
    const path = newPath()
    const writer = openDatabase(path)
    writer.exec("create table a (x); begin; insert into a values (1)")
    const reader = openDatabase(path, { readOnly: true })
    expect(reader.prepare("select x from a").all()).toEqual([])
    writer.exec("commit")
    expect(
      reader
        .prepare("select x from a")
        .all()
        .map((found) => found["x"]),
    ).toEqual([1])
    reader.close()
    writer.close()
  })
})

describe("queries over the embedded engine", () => {
  it("take all steps of a pragma", async () => {
    const database = openDatabase(newPath())
    database.exec("create table a (x); insert into a values (zeroblob(1000000)); delete from a")
    const free = () => Number(database.prepare("pragma freelist_count").get()?.["freelist_count"])
    const before = free()
    await sql`pragma incremental_vacuum(200)`.execute(kyselyOver(database))
    expect(before - free()).toBe(200)
    database.close()
  })

  it("give rows as plain objects, in the order of the columns that were asked for", async () => {
    const { db } = await memoryStore()
    const { rows } = await sql`select 'x' as b, 2 as a, null as c`.execute(db)
    expect(rows).toEqual([{ b: "x", a: 2, c: null }])
    expect(Object.keys(rows[0] as object)).toEqual(["b", "a", "c"])
  })

  it("carry text of every script and bytes as they are", async () => {
    const { db } = await memoryStore()
    const bytes = Buffer.from([0, 255, 128])
    const text = "ü€😀\u0000 'quoted' \"doubly\""
    const { rows } = await sql<{ text: string; bytes: Uint8Array }>`select ${text} as text, ${bytes} as bytes`.execute(
      db,
    )
    expect(rows[0]?.text).toBe(text)
    expect([...(rows[0]?.bytes ?? [])]).toEqual([0, 255, 128])
  })

  it("say how many rows a change touched", async () => {
    const { db } = await memoryStore()
    await db
      .insertInto("workspaces")
      .values([row.workspace(), row.workspace({ uuid: "w2" })])
      .execute()
    const { numUpdatedRows } = await db.updateTable("workspaces").set({ name: "V" }).executeTakeFirstOrThrow()
    expect(numUpdatedRows).toBe(2n)
  })

  it("give back what a change returns", async () => {
    const { db } = await memoryStore()
    expect(
      await db.insertInto("workspaces").values(row.workspace()).returning(["uuid", "createdAt"]).execute(),
    ).toEqual([{ uuid: "w1", createdAt: AT }])
  })

  it("can be read row by row", async () => {
    const { db } = await memoryStore()
    await db
      .insertInto("workspaces")
      .values([row.workspace(), row.workspace({ uuid: "w2" })])
      .execute()
    const seen: string[] = []
    for await (const { uuid } of db.selectFrom("workspaces").select("uuid").orderBy("uuid").stream()) seen.push(uuid)
    expect(seen).toEqual(["w1", "w2"])
  })

  it("stay right beyond the number of statements that are kept", async () => {
    const { db } = await memoryStore()
    for (let number = 0; number < 620; number++) {
      const { rows } = await sql`select ${sql.lit(number)} as n`.execute(db)
      expect(rows).toEqual([{ n: number }])
    }
    expect((await sql`select 0 as n`.execute(db)).rows).toEqual([{ n: 0 }])
  })

  it("see a table's new shape, also by a statement that was prepared before", async () => {
    const { database, db } = await memoryStore()
    const all = () => sql`select * from notes`.execute(db)
    database.exec("create table notes (a); insert into notes values (1)")
    expect((await all()).rows).toEqual([{ a: 1 }])
    database.exec("alter table notes add column b default 2")
    expect((await all()).rows).toEqual([{ a: 1, b: 2 }])
  })

  it("close the file with the handle", async () => {
    const database = openDatabase(newPath())
    const db = kyselyOver(database)
    await sql`select 1`.execute(db)
    await db.destroy()
    expect(database.isOpen).toBe(false)
  })
})
