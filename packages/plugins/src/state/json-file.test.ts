import { chmodSync, existsSync, lstatSync, readdirSync, statSync } from "node:fs"
import { array, assert, asyncProperty, constantFrom, integer, option, tuple } from "fast-check"
import { describe, expect, it } from "vitest"
import { useFolder } from "../../test/scratch.ts"
import { changeJsonFile, readJsonFile, section, type MutableJson } from "./json-file.ts"

const scratch = useFolder()
const notes = useFolder()
const HOME = {
  get config() {
    return notes.path
  },
}
const modeOf = (name: string) => statSync(scratch.at(name)).mode & 0o777

describe("a JSON file that is read", () => {
  it("is the object in it, and an empty one where there is no file or nothing in it", () => {
    scratch.write({ "a.json": { x: 1 }, "empty.json": "", "blank.json": " \n", "bom.json": '\uFEFF{"x":2}' })
    expect(
      ["a.json", "none.json", "empty.json", "blank.json", "bom.json"].map((name) => readJsonFile(scratch.at(name))),
    ).toEqual([{ x: 1 }, {}, {}, {}, { x: 2 }])
  })

  it.each([
    ["half a file", '{"x":', /is not valid JSON: /],
    ["a list", "[]", /is not a JSON object\./],
    ["null", "null", /is not a JSON object\./],
  ])("with %s in it is never guessed at", (_what, text, message) => {
    scratch.write({ "a.json": text })
    expect(() => readJsonFile(scratch.at("a.json"))).toThrow(
      expect.objectContaining({
        code: "state_unreadable",
        status: 500,
        message: expect.stringMatching(message) as string,
        next: expect.stringContaining("left as it is") as string,
      }) as Error,
    )
  })
})

describe("a JSON file that is changed", () => {
  it("keeps every key the change does not touch, in its order, and answers what the change answers", async () => {
    scratch.write({ "a.json": { z: 1, a: { deep: [1, { x: null }] }, m: "ü" } })
    expect(await changeJsonFile(HOME, scratch.at("a.json"), (content) => ((content["m"] = 2), "done"))).toBe("done")
    expect(scratch.read("a.json")).toBe(`${JSON.stringify({ z: 1, a: { deep: [1, { x: null }] }, m: 2 }, null, 2)}\n`)
  })

  it("is made with its folders, for its owner alone unless told otherwise", async () => {
    await changeJsonFile(HOME, scratch.at("deep/er/a.json"), (content) => void (content["x"] = 1))
    await changeJsonFile(HOME, scratch.at("shared.json"), (content) => void (content["x"] = 1), { mode: 0o644 })
    expect([scratch.json("deep/er/a.json"), modeOf("deep/er/a.json"), modeOf("shared.json")]).toEqual([
      { x: 1 },
      0o600,
      0o644,
    ])
  })

  it("keeps the rights it has", async () => {
    scratch.write({ "a.json": {} })
    chmodSync(scratch.at("a.json"), 0o640)
    await changeJsonFile(HOME, scratch.at("a.json"), (content) => void (content["x"] = 1))
    expect(modeOf("a.json")).toBe(0o640)
  })

  it("is not written when nothing changed, not even when it is written differently", async () => {
    scratch.write({ "a.json": '{"x":1}' })
    await changeJsonFile(HOME, scratch.at("a.json"), (content) => void (content["x"] = 1))
    expect(scratch.read("a.json")).toBe('{"x":1}')
    await changeJsonFile(HOME, scratch.at("none.json"), () => undefined)
    expect(existsSync(scratch.at("none.json"))).toBe(false)
  })

  it("stays as it was when the change throws, and the next one gets through", async () => {
    scratch.write({ "a.json": { x: 1 } })
    const failing = changeJsonFile(HOME, scratch.at("a.json"), (content) => {
      content["x"] = 2
      throw new Error("no")
    })
    await expect(failing).rejects.toThrow("no")
    expect(scratch.json("a.json")).toEqual({ x: 1 })
    await changeJsonFile(HOME, scratch.at("a.json"), (content) => void (content["x"] = 3))
    expect(scratch.json("a.json")).toEqual({ x: 3 })
  })

  it("takes every change of many writers, and stays a link where it was one", async () => {
    scratch.write({ "real.json": { x: 1 } })
    scratch.link("a.json", scratch.at("real.json"))
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`)
    await Promise.all(keys.map((key) => changeJsonFile(HOME, scratch.at("a.json"), (content) => (content[key] = 1))))
    expect(Object.keys(scratch.json("real.json") as object)).toEqual(["x", ...keys])
    expect(lstatSync(scratch.at("a.json")).isSymbolicLink()).toBe(true)
  })

  it("leaves nothing beside itself: no lock, no half-written copy", async () => {
    await changeJsonFile(HOME, scratch.at("a.json"), (content) => void (content["x"] = 1))
    expect(readdirSync(scratch.path)).toEqual(["a.json"])
  })

  it("is what a plain object would be after the same changes, whoever makes them and in whatever order they come", async () => {
    const step = tuple(constantFrom("a", "b", "c"), option(integer(), { nil: undefined }))
    let run = 0
    await assert(
      asyncProperty(array(step, { maxLength: 4 }), async (steps) => {
        const file = scratch.at(`p${(run += 1)}.json`)
        const plain: MutableJson = {}
        const apply = (content: MutableJson, [key, value]: (typeof steps)[number]) => {
          if (value === undefined) delete content[key]
          else content[key] = value
        }
        for (const one of steps) {
          apply(plain, one)
          await changeJsonFile(HOME, file, (content) => apply(content, one))
        }
        expect(readJsonFile(file)).toEqual(plain)
      }),
      { numRuns: 8 },
    )
  })
})

describe("an object inside a file", () => {
  it("is the one that is there, or made in place of whatever is no object", () => {
    const content: MutableJson = { a: { x: 1 }, b: [], c: null }
    expect(section(content, "a")).toBe(content["a"])
    for (const key of ["b", "c", "d", "toString"]) section(content, key)["k"] = 1
    expect(content).toEqual({ a: { x: 1 }, b: { k: 1 }, c: { k: 1 }, d: { k: 1 }, toString: { k: 1 } })
  })
})
