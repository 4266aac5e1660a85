import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { array, assert, constantFrom, property, record, string } from "fast-check"
import { beforeEach, describe, expect, it } from "vitest"
import { jsonIn, scratchFolder } from "../../test/scratch-team.ts"
import { type HeldLock, LockLost } from "@chorus/disk"
import { holdsEntry, spliceEntry } from "./inbox-splice.ts"
import { Unfinished } from "./patient-json.ts"

const held: HeldLock = { assertHeld: () => undefined }
const entry = { from: "a", text: "hello", timestamp: "2026-01-01T00:00:00.000Z" }
let file: string
beforeEach(() => {
  file = join(scratchFolder(), "bob.json")
})

describe("spliceEntry", () => {
  it("starts a list where there is no file", () => {
    spliceEntry(file, entry, held)
    expect(readFileSync(file, "utf8")).toBe(JSON.stringify([entry], null, 2))
  })

  it.each([
    ["an empty list", "[]"],
    ["an empty list with room in it", " \n[\n\n ]\n"],
    ["a list in one line", '[{"from":"x"}]'],
    ["a list with a line end after it", '[{"from":"x"}]\n\n'],
    ["a list that ends in a nested object", '[{"from":"x","meta":{"a":{}}}]'],
    ["a list that ends in nothing", "[null]"],
    ["a list that ends in a word", '[{"from":"x"},"]"]'],
    ["a list that ends in a number", "[7]"],
    ["a list of lists", "[[]]"],
    ["a list with more space behind it than anybody writes", `[{"from":"x"}]${" ".repeat(1000)}`],
  ])("adds to %s and keeps what is in it", (_, before) => {
    writeFileSync(file, before)
    spliceEntry(file, entry, held)
    expect(jsonIn(file)).toEqual([...(JSON.parse(before) as unknown[]), entry])
  })

  it.each([
    ["an empty file", ""],
    ["only spaces", "  \n"],
    ["a list that is cut off", '[{"from":"x","te'],
    ["a list without its bracket", '[{"from":"x"}'],
    ["an object where a list belongs", '{"from":"x"}'],
    ["a closing bracket and nothing before it", "]"],
    ["a comma before the end", '[{"from":"x"},]'],
  ])("leaves %s alone and says it is unfinished", (_, before) => {
    writeFileSync(file, before)
    expect(() => spliceEntry(file, entry, held)).toThrow(Unfinished)
    expect(readFileSync(file, "utf8")).toBe(before)
  })

  it("writes a small file anew and a large one in its place", () => {
    writeFileSync(file, '[{"from":"x"}]')
    const small = statSync(file).ino
    spliceEntry(file, entry, held, 1_000)
    expect(statSync(file).ino).not.toBe(small)
    const large = statSync(file).ino
    spliceEntry(file, { ...entry, text: "second" }, held, 10)
    expect(statSync(file).ino).toBe(large)
    expect(jsonIn(file)).toEqual([{ from: "x" }, entry, { ...entry, text: "second" }])
  })

  it("writes nothing into a large file when the lock is lost before", () => {
    writeFileSync(file, '[{"from":"x"}]')
    const lost: HeldLock = {
      assertHeld() {
        throw new LockLost(file)
      },
    }
    expect(() => spliceEntry(file, entry, lost, 1)).toThrow(LockLost)
    expect(jsonIn(file)).toEqual([{ from: "x" }])
  })

  it("gives the same list as parsing and writing would, whatever the messages hold", () => {
    const anyEntry = record({
      from: string({ unit: "grapheme" }),
      text: constantFrom("]", "}]", '"}]', "[\n{}\n]", "\u2028", "ünï\\", ""),
    })
    assert(
      property(array(anyEntry, { maxLength: 6 }), constantFrom(1, 1_000_000), (entries, inPlaceFrom) => {
        writeFileSync(file, "[]")
        for (const one of entries) spliceEntry(file, one, held, inPlaceFrom)
        expect(jsonIn(file)).toEqual(entries)
      }),
      { numRuns: 40 },
    )
  })
})

describe("holdsEntry", () => {
  it("finds exactly what spliceEntry wrote", () => {
    spliceEntry(file, { ...entry, text: "one" }, held)
    spliceEntry(file, entry, held)
    expect(holdsEntry(file, entry)).toBe(true)
    expect(holdsEntry(file, { ...entry, text: "hell" })).toBe(false)
  })

  it("is false where there is no file", () => {
    expect(holdsEntry(file, entry)).toBe(false)
  })
})
