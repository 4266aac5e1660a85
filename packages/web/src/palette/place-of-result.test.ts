import type { search } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { placeOfResult } from "./place-of-result.ts"
import { fit, ranked } from "./rank.ts"

function result(entityType: search.SearchKind, projectUuid: string | null = "p1"): search.SearchResult {
  return { entityType, uuid: "x1", projectUuid, projectName: null, title: "t" } as unknown as search.SearchResult
}

describe("the place of what was found", () => {
  it.each([
    ["task", { to: "/projects/$projectUuid/tasks/$taskUuid", params: { projectUuid: "p1", taskUuid: "x1" } }],
    ["idea", { to: "/projects/$projectUuid/ideas/$ideaUuid", params: { projectUuid: "p1", ideaUuid: "x1" } }],
    [
      "proposal",
      { to: "/projects/$projectUuid/proposals/$proposalUuid", params: { projectUuid: "p1", proposalUuid: "x1" } },
    ],
    [
      "document",
      { to: "/projects/$projectUuid/documents/$documentUuid", params: { projectUuid: "p1", documentUuid: "x1" } },
    ],
    ["project", { to: "/projects/$projectUuid/board", params: { projectUuid: "x1" } }],
    ["project_group", { to: "/projects" }],
  ] as const)("is known of a %s", (kind, place) => {
    expect(placeOfResult(result(kind))).toEqual(place)
  })

  it("is unknown of what lies in no project, except the project itself and its group", () => {
    expect(placeOfResult(result("task", null))).toBeUndefined()
    expect(placeOfResult(result("project", null))).toBeDefined()
    expect(placeOfResult(result("project_group", null))).toBeDefined()
  })
})

describe("ranking anything", () => {
  const names = fc.array(fc.string({ maxLength: 12 }), { maxLength: 12 })

  it("never invents, never repeats, and keeps only what fits", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 6 }), names, (query, labels) => {
        const items = labels.map((label, at) => ({ label, at }))
        const kept = ranked(query, items)
        expect(new Set(kept).size).toBe(kept.length)
        expect(kept.every((item) => items.includes(item) && fit(query, item.label) > 0)).toBe(true)
        expect(items.filter((item) => fit(query, item.label) > 0)).toHaveLength(kept.length)
      }),
    )
  })

  it("is the same in any case, and finds every name by itself", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z ]{0,10}$/), (name) => {
        expect(fit(name.toUpperCase(), name)).toBe(fit(name, name))
        expect(fit(name, name)).toBeGreaterThan(0)
      }),
    )
  })

  it("puts what begins with the word over what has it in the middle, and keeps the order among equals", () => {
    const items = ["Keyboard", "On board", "Board", "Boards"].map((label) => ({ label }))
    expect(ranked("board", items).map(({ label }) => label)).toEqual(["Board", "Boards", "On board", "Keyboard"])
  })
})
