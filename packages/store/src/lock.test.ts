import { describe, expect, it } from "vitest"
import { memoryStore } from "../test/memory.ts"
import { lock, tryLock } from "./lock.ts"

describe("a named lock on the embedded engine, which runs one change at a time", () => {
  it("is always had, and asks the database for nothing", async () => {
    const { database, db } = await memoryStore()
    database.close()
    await lock({ db, engine: "sqlite" }, "project:1")
    expect(await tryLock({ db, engine: "sqlite" }, "project:1")).toBe(true)
  })
})
