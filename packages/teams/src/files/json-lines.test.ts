import { appendFileSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { array, assert, jsonValue, property } from "fast-check"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolder } from "../../test/scratch-team.ts"
import { appendJsonLines, jsonLines } from "./json-lines.ts"

let file: string
beforeEach(() => {
  file = join(scratchFolder(), "deep", "er", "lines.jsonl")
})

describe("json lines", () => {
  it("make their folder, and only their owner may read them", () => {
    appendJsonLines(file, [{ a: 1 }])
    expect(readFileSync(file, "utf8")).toBe('{"a":1}\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it("are one line each, also where a text has line ends", () => {
    appendJsonLines(file, ["two\nlines", "sep\u2028arated"])
    appendJsonLines(file, [null])
    expect(jsonLines(readFileSync(file, "utf8"))).toEqual(["two\nlines", "sep\u2028arated", null])
  })

  it("come back as they went in, whatever they are", () => {
    assert(
      property(array(jsonValue(), { maxLength: 5 }), (values) => {
        const text = values.map((value) => `${JSON.stringify(value)}\n`).join("")
        expect(jsonLines(text)).toEqual(values.map((value) => JSON.parse(JSON.stringify(value)) as unknown))
      }),
      { numRuns: 50 },
    )
  })

  it("lose only the line that a process died in, not the one written after it", () => {
    appendJsonLines(file, ["before"])
    appendFileSync(file, '{"text":"cut o')
    appendJsonLines(file, ["after"])
    expect(jsonLines(readFileSync(file, "utf8"))).toEqual(["before", "after"])
  })

  it("add nothing for nothing", () => {
    appendJsonLines(file, [])
    expect(readFileSync(file, "utf8")).toBe("")
    expect(jsonLines("")).toEqual([])
  })
})
