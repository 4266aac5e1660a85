import { describe, expect, it } from "vitest"
import { memoryStore } from "../test/memory.ts"
import { row } from "../test/rows.ts"
import { askedOften, writtenOften } from "./asked-often.ts"

async function furnished(...names: string[]) {
  const { db } = await memoryStore()
  await db
    .insertInto("workspaces")
    .values(names.map((name) => row.workspace({ uuid: name, name })))
    .execute()
  return db
}

describe("a question asked often", () => {
  it("is answered for each text it is asked with", async () => {
    const ask = askedOften((db, uuid) => db.selectFrom("workspaces").select("name").where("uuid", "=", uuid))
    const db = await furnished("one", "two")
    expect([await ask(db, "one"), await ask(db, "two"), await ask(db, "one")]).toEqual([
      { name: "one" },
      { name: "two" },
      { name: "one" },
    ])
  })

  it("has no answer where there is none", async () => {
    const ask = askedOften((db, uuid) => db.selectFrom("workspaces").select("name").where("uuid", "=", uuid))
    expect(await ask(await furnished("one"), "three")).toBeUndefined()
  })

  it("is put into SQL once for each database, and answered from the one it is asked of", async () => {
    let built = 0
    const ask = askedOften((db, uuid) => {
      built++
      return db.selectFrom("workspaces").select("name").where("uuid", "=", uuid)
    })
    const [first, second] = [await furnished("one"), await furnished("two")]
    for (let times = 0; times < 3; times++) {
      expect(await ask(first, "one")).toEqual({ name: "one" })
      expect(await ask(second, "one")).toBeUndefined()
    }
    expect(built).toBe(2)
  })

  it("takes several texts beside what is always the same, and can answer with all rows", async () => {
    const ask = askedOften((db, last, first) =>
      db
        .selectFrom("workspaces")
        .select("name")
        .where("name", ">=", first)
        .where("name", "<=", last)
        .where("lastEvent", "=", 0)
        .orderBy("name"),
    )
    const db = await furnished("one", "two", "three")
    expect(await ask.all(db, "three", "one")).toEqual([{ name: "one" }, { name: "three" }])
    expect(await ask.all(db, "two", "three")).toEqual([{ name: "three" }, { name: "two" }])
  })

  it("takes lists of any length, and keeps the short ones only", async () => {
    let built = 0
    const ask = askedOften((db, ...uuids) => {
      built++
      return db.selectFrom("workspaces").select("name").where("uuid", "in", uuids).orderBy("name")
    })
    const db = await furnished("one", "two", "three")
    const many = Array.from({ length: 20 }, () => "one")
    for (let times = 0; times < 3; times++) {
      expect(await ask.all(db, "one", "two")).toEqual([{ name: "one" }, { name: "two" }])
      expect(await ask.all(db, "three")).toEqual([{ name: "three" }])
      expect(await ask.all(db, ...many)).toEqual([{ name: "one" }])
    }
    expect(built).toBe(2 + 3)
  })

  it("takes its text as a value, never as SQL", async () => {
    const ask = askedOften((db, uuid) => db.selectFrom("workspaces").select("name").where("uuid", "=", uuid))
    const db = await furnished("one")
    expect(await ask(db, "' or 1 = 1 --")).toBeUndefined()
  })

  it("may be asked by many at once", async () => {
    const ask = askedOften((db, uuid) => db.selectFrom("workspaces").select("name").where("uuid", "=", uuid))
    const names = Array.from({ length: 20 }, (_, n) => `w${n}`)
    const db = await furnished(...names)
    expect(await Promise.all(names.map((name) => ask(db, name)))).toEqual(names.map((name) => ({ name })))
  })
})

describe("a statement written often", () => {
  const renamed = () =>
    writtenOften((db, { uuid, ...fields }: { name?: string; lastEvent?: number; uuid: string }) =>
      db.updateTable("workspaces").set(fields).where("uuid", "=", uuid).returning(["name", "lastEvent"]),
    )

  it("writes each time what it is given, whichever fields these are", async () => {
    const [write, db] = [renamed(), await furnished("one", "two")]
    expect(await write(db, { name: "first", uuid: "one" }).execute()).toEqual([{ name: "first", lastEvent: 0 }])
    expect(await write(db, { name: "second", uuid: "two" }).execute()).toEqual([{ name: "second", lastEvent: 0 }])
    expect(await write(db, { lastEvent: 3, uuid: "one" }).execute()).toEqual([{ name: "first", lastEvent: 3 }])
    expect(await write(db, { lastEvent: 4, name: "last", uuid: "one" }).execute()).toEqual([
      { name: "last", lastEvent: 4 },
    ])
    expect(await write(db, { name: "nobody", uuid: "three" }).execute()).toEqual([])
  })

  it("is put into SQL once for each set of fields", async () => {
    let built = 0
    const write = writtenOften((db, { uuid, name }: { name: string; uuid: string }) => {
      built++
      return db.updateTable("workspaces").set({ name }).where("uuid", "=", uuid)
    })
    const db = await furnished("one")
    for (const name of ["a", "b", "c"]) await write(db, { name, uuid: "one" }).execute()
    expect(built).toBe(1)
  })

  it("takes rows, as many as there are", async () => {
    const add = writtenOften((db, rows: ReturnType<typeof row.workspace>[]) => db.insertInto("workspaces").values(rows))
    const db = await furnished("one")
    for (const uuids of [["a"], ["b"], ["c", "d"], ["e", "f"]])
      await add(
        db,
        uuids.map((uuid) => row.workspace({ uuid, name: `${uuid}!` })),
      ).execute()
    const { rows } = await db.executeQuery(db.selectFrom("workspaces").select("name").orderBy("name").compile())
    expect(rows.map(({ name }) => name)).toEqual(["a!", "b!", "c!", "d!", "e!", "f!", "one"])
  })

  it("that takes its fields in another order is refused before it writes anything", async () => {
    const write = writtenOften((db, { uuid, name }: { uuid: string; name: string }) =>
      db.updateTable("workspaces").set({ name }).where("uuid", "=", uuid),
    )
    const db = await furnished("one")
    expect(() => write(db, { uuid: "one", name: "one!" })).toThrow(/in their order/)
  })
})
