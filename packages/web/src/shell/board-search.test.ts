import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { boardSearch } from "./board-search.ts"
import { pluginsSearch } from "./plugins-search.ts"
import { isSteward, mayChange } from "./rights.ts"

describe("the address of a board", () => {
  it("is kept where it is understood", () => {
    const search = {
      task: "t1",
      lanes: "agent",
      find: "parser",
      status: "to_verify",
      priority: "high",
      assignee: "nobody",
      proposal: "q1",
      ready: true,
      late: true,
      closed: true,
    }
    expect(boardSearch(search)).toEqual(search)
  })

  it.each([
    ["an unknown lane", { lanes: "colour" }],
    ["an unknown priority or status", { priority: "huge", status: "assigned" }],
    ["words where yes is meant", { ready: "true", closed: 1 }],
    ["no instead of nothing", { ready: false, closed: false }],
    ["numbers and lists", { task: 7, find: ["a"], assignee: null, proposal: {} }],
    ["empty words", { task: "", find: "", assignee: "", proposal: "" }],
    ["what is not its own", { page: "2", utm_source: "mail" }],
  ])("drops %s", (_, search) => {
    expect(boardSearch(search)).toEqual({})
  })

  it("means the same when it is read twice", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("task", "lanes", "find", "priority", "assignee", "proposal", "ready", "closed", "x"),
          fc.oneof(fc.string(), fc.boolean(), fc.constantFrom("agent", "high", null, 3)),
        ),
        (search) => {
          const once = boardSearch(search)
          expect(boardSearch({ ...once })).toEqual(once)
          expect(Object.values(once)).not.toContain(undefined)
        },
      ),
    )
  })
})

describe("the address of the plugins page", () => {
  it.each([
    [{ part: "browse" }, { part: "browse" }],
    [{ part: "machines" }, { part: "machines" }],
    [{ part: "curated" }, {}],
    [{ part: 3 }, {}],
    [{}, {}],
  ])("%o means %o", (search, meant) => {
    expect(pluginsSearch(search)).toEqual(meant)
  })
})

describe("rights as the page sees them", () => {
  it.each([
    ["owner", true, true],
    ["admin", true, true],
    ["member", true, false],
    ["viewer", false, false],
  ] as const)("of an %s: changes %s, runs the workspace %s", (role, changes, steward) => {
    expect(mayChange({ role })).toBe(changes)
    expect(isSteward({ role })).toBe(steward)
  })
})
