import type { StatusEvent, StatusLine } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { addToHistory, beginHistory, compareLines, continueHistory, HISTORY_LIMIT } from "./history.ts"

function line(at: number, event: StatusEvent, more: Partial<StatusLine> = {}): StatusLine {
  return { terminalId: "t", agent: "claude", at, event, ...more }
}

function read(lines: readonly StatusLine[]) {
  const [first, ...rest] = lines
  if (first === undefined) throw new Error("no lines")
  return rest.reduce(addToHistory, beginHistory(first)).status
}

describe("late and reordered lines", () => {
  it("puts a question that overtook its prompt back in place", () => {
    expect(read([line(2, "needsInput"), line(1, "running")]).state).toBe("needsInput")
  })

  it("lets finished win over a running that arrives late", () => {
    expect(read([line(1, "running"), line(3, "finished", { exitCode: 0 }), line(2, "running")]).state).toBe("finished")
  })

  it("lets finished win over a running of the same instant, whichever comes first", () => {
    expect(read([line(5, "finished"), line(5, "running")]).state).toBe("finished")
    expect(read([line(5, "running"), line(5, "finished")]).state).toBe("finished")
  })

  it("counts a tool error that arrives after the end of its turn", () => {
    expect(read([line(1, "running"), line(3, "finished"), line(2, "running", { toolError: true })])).toMatchObject({
      state: "finished",
      exitCode: 1,
    })
  })

  it("drops what is older than the lines it remembers", () => {
    const many = Array.from({ length: HISTORY_LIMIT + 10 }, (_, index) =>
      line(1000 + index, "running", { toolDetail: `step ${index}` }),
    )
    expect(read([...many, line(1, "finished")]).state).toBe("running")
  })

  it("goes on from a stored status and ignores what was said before it", () => {
    const stored = read([line(10, "running")])
    expect(addToHistory(continueHistory(stored), line(5, "finished")).status.state).toBe("running")
    expect(addToHistory(continueHistory(stored), line(15, "finished")).status.state).toBe("finished")
  })
})

describe("any lines in any order", () => {
  const anyLine = fc.record(
    {
      at: fc.integer({ min: 1, max: 40 }).map((step) => step * 100),
      event: fc.constantFrom<StatusEvent>("running", "idle", "needsInput", "finished", "exited", "lost", "note"),
      agent: fc.constantFrom("claude" as const, "claude" as const, "codex" as const),
      turnStart: fc.boolean(),
      toolError: fc.boolean(),
      provisional: fc.boolean(),
      turnId: fc.constantFrom("one", "two"),
      sessionId: fc.constantFrom("s1", "s2"),
      exitCode: fc.integer({ min: 0, max: 2 }),
      sessionTitle: fc.constantFrom("", "alpha", "beta"),
      titleOrigin: fc.constantFrom("prompt" as const, "generated" as const, "person" as const),
    },
    { requiredKeys: ["at", "event", "agent"] },
  )
  const lines = fc
    .array(anyLine, { minLength: 1, maxLength: 40 })
    .map((all) => all.map((some): StatusLine => ({ terminalId: "t", ...some })))

  it("end in the same status when shuffled and repeated", () => {
    fc.assert(
      fc.property(lines, fc.infiniteStream(fc.nat()), (all, dice) => {
        const expected = read([...all].sort(compareLines))
        const mixed = [...all, ...all.filter(() => (dice.next().value ?? 0) % 3 === 0)]
        for (let at = mixed.length - 1; at > 0; at--) swap(mixed, at, (dice.next().value ?? 0) % (at + 1))
        expect(read(mixed)).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  it("never ask for input out of anything but running", () => {
    fc.assert(
      fc.property(lines, (all) => {
        const ordered = [...all].sort(compareLines)
        for (let count = 2; count <= ordered.length; count++) {
          const before = read(ordered.slice(0, count - 1)).state
          const after = read(ordered.slice(0, count)).state
          if (after === "needsInput") expect(["running", "needsInput"]).toContain(before)
        }
      }),
    )
  })
})

function swap(list: StatusLine[], a: number, b: number): void {
  const [first, second] = [list[a], list[b]]
  if (first === undefined || second === undefined) return
  list[a] = second
  list[b] = first
}
