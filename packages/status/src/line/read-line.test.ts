import { StatusLine } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readAt, readStatusLine } from "./read-line.ts"

const NOW = 1_794_740_000_000
const plain = { terminalId: "t1", event: "running", agent: "claude", at: NOW }

describe("reading a line", () => {
  it("keeps the known fields and drops the rest", () => {
    const full = {
      ...plain,
      event: "finished",
      exitCode: 1,
      summary: "Done.",
      toolDetail: "Edit a",
      resumeCommand: "claude --resume a-b_1",
      sessionTitle: "T",
      extra: 1,
      __proto__: { x: 1 },
    }
    expect(readStatusLine(full, NOW)).toEqual({
      ...plain,
      event: "finished",
      exitCode: 1,
      summary: "Done.",
      toolDetail: "Edit a",
      resumeCommand: "claude --resume a-b_1",
      sessionTitle: "T",
    })
  })

  it.each([
    ["no terminal", { ...plain, terminalId: "" }],
    ["a terminal with a line break", { ...plain, terminalId: "a\nb" }],
    ["an unknown agent", { ...plain, agent: "vim" }],
    ["an unknown event", { ...plain, event: "exploded" }],
    ["a list", [plain]],
    ["nothing", null],
  ])("refuses %s", (_name, value) => {
    expect(readStatusLine(value, NOW)).toBeUndefined()
  })

  it("drops control characters, cuts long words and counts letters, not bytes", () => {
    const line = readStatusLine({ ...plain, toolDetail: "a\u001b[31mb\u0007\u202ec", summary: "😀".repeat(500) }, NOW)
    expect(line?.toolDetail).toBe("a [31mb c")
    expect(Array.from(line?.summary ?? "")).toHaveLength(200)
  })

  it("is what the contract allows, whatever comes in", () => {
    const anything = fc.dictionary(
      fc.constantFrom(
        "terminalId",
        "event",
        "agent",
        "at",
        "exitCode",
        "summary",
        "toolDetail",
        "resumeCommand",
        "sessionTitle",
        "only",
        "pid",
        "turnId",
        "source",
      ),
      fc.anything(),
    )
    const almost = fc.tuple(anything, fc.constant(plain)).map(([odd, good]) => ({ ...good, ...odd }))
    fc.assert(
      fc.property(fc.oneof(fc.anything(), anything, almost), (value) => {
        const line = readStatusLine(value, NOW)
        if (line !== undefined) expect(StatusLine.safeParse(line).success).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

describe("the time of a line", () => {
  it.each([
    ["milliseconds", NOW - 5, NOW - 5],
    ["seconds with a fraction", (NOW - 500) / 1000, NOW - 500],
    ["whole seconds of an earlier second", NOW / 1000 - 10, NOW - 10_000],
    ["whole seconds of this second, ordered by arrival", NOW / 1000, NOW + 321],
    ["nothing", undefined, NOW + 321],
    ["a year ahead", NOW * 2, NOW + 321],
    ["a year ahead in seconds", NOW / 1000 + 31_536_000, NOW + 321],
    ["not a number", Number.NaN, NOW + 321],
  ])("from %s", (_name, at, expected) => {
    expect(readAt(at, NOW + 321)).toBe(expected)
  })
})
