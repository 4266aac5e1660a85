import { array, assert, nat, property } from "fast-check"
import { describe, expect, it } from "vitest"
import { danglingDependencies, dependencyCircles, type DraftNode } from "./draft-graph.ts"

const node = (uuid: string, ...dependsOnDraftUuids: string[]): DraftNode => ({
  uuid,
  title: uuid.toUpperCase(),
  dependsOnDraftUuids,
})
const names = (circles: DraftNode[][]) => circles.map((circle) => circle.map((draft) => draft.uuid))

describe("danglingDependencies", () => {
  it("names what is missing and who misses it", () => {
    expect(danglingDependencies([node("a", "b", "x"), node("b")])).toEqual([{ uuid: "a", title: "A", missing: "x" }])
  })
})

describe("dependencyCircles", () => {
  it.each<[string, DraftNode[], string[][]]>([
    ["nothing", [], []],
    ["a chain", [node("a"), node("b", "a"), node("c", "b", "a")], []],
    ["a diamond", [node("a"), node("b", "a"), node("c", "a"), node("d", "b", "c")], []],
    ["itself", [node("a", "a")], [["a"]]],
    ["two that wait for each other", [node("a", "b"), node("b", "a")], [["a", "b"]]],
    ["three, with an outsider", [node("z", "a"), node("a", "b"), node("b", "c"), node("c", "a")], [["a", "b", "c"]]],
    ["two circles apart", [node("a", "b"), node("b", "a"), node("c", "c")], [["a", "b"], ["c"]]],
    ["a missing draft is no circle", [node("a", "gone")], []],
  ])("%s", (_, drafts, circles) => {
    expect(names(dependencyCircles(drafts))).toEqual(circles)
  })

  it("walks a chain of five thousand without running out of stack", () => {
    const chain = Array.from({ length: 5000 }, (_, index) => node(`${index}`, `${index + 1}`))
    expect(dependencyCircles([...chain, node("5000")])).toEqual([])
    expect(dependencyCircles([...chain, node("5000", "0")])[0]).toHaveLength(5001)
  })

  it("finds a circle exactly where no order of the drafts exists, and each circle is real", () => {
    const graphs = array(array(nat(7), { maxLength: 3 }), { maxLength: 8 })
    assert(
      property(graphs, (lists) => {
        const drafts = lists.map((list, index) => node(`${index}`, ...list.map(String)))
        const circles = dependencyCircles(drafts)
        expect(circles.length > 0).toBe(!hasOrder(drafts))
        for (const circle of circles) {
          circle.forEach((draft, index) =>
            expect(draft.dependsOnDraftUuids).toContain(circle[(index + 1) % circle.length]?.uuid),
          )
        }
      }),
    )
  })
})

function hasOrder(drafts: readonly DraftNode[]): boolean {
  let left = drafts
  for (;;) {
    const waiting = new Set(left.map((draft) => draft.uuid))
    const rest = left.filter((draft) => draft.dependsOnDraftUuids.some((wanted) => waiting.has(wanted)))
    if (rest.length === 0) return true
    if (rest.length === left.length) return false
    left = rest
  }
}
