import type { Db } from "@chorus/store"
import { describe, expect, it } from "vitest"
import { KeptAnswers } from "./kept-answers.ts"

const database = () => ({}) as Db

describe("kept answers", () => {
  it("are the very same object while the log stands still, and found anew when it has moved", async () => {
    const answers = new KeptAnswers<object>()
    const db = database()
    const find = async () => ({})
    const first = await answers.get(db, "board", 1, find)
    expect(await answers.get(db, "board", 1, find)).toBe(first)
    expect(await answers.get(db, "board", 2, find)).not.toBe(first)
  })

  it("are each database's own", async () => {
    const answers = new KeptAnswers<number>()
    expect(await answers.get(database(), "board", 1, async () => 1)).toBe(1)
    expect(await answers.get(database(), "board", 1, async () => 2)).toBe(2)
  })

  it("are of many only the latest", async () => {
    const answers = new KeptAnswers<number>()
    const db = database()
    let found = 0
    const ask = (key: number) => answers.get(db, String(key), 1, async () => ++found)
    for (let key = 0; key < 40; key++) await ask(key)
    await ask(39)
    expect(found).toBe(40)
    await ask(0)
    expect(found).toBe(41)
  })

  it("are not kept when finding them fails", async () => {
    const answers = new KeptAnswers<number>()
    const db = database()
    await expect(answers.get(db, "board", 1, () => Promise.reject(new Error("away")))).rejects.toThrow("away")
    expect(await answers.get(db, "board", 1, async () => 3)).toBe(3)
  })
})
