import { describe, expect, it } from "vitest"
import { memoryStore } from "../test/memory.ts"
import { row } from "../test/rows.ts"
import { askedOften } from "./asked-often.ts"

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
