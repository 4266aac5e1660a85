import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { layout, NODE_HEIGHT, NODE_WIDTH, type Place } from "./layout.ts"

interface Edge {
  readonly taskUuid: string
  readonly dependsOnUuid: string
}

const edge = (taskUuid: string, dependsOnUuid: string): Edge => ({ taskUuid, dependsOnUuid })
const name = (at: number) => `t${at}`

/** Edges that only point to lower numbers cannot form a circle. */
const plan = fc.integer({ min: 1, max: 14 }).chain((size) =>
  fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 18 }).map((pairs) => ({
    uuids: Array.from({ length: size }, (_, at) => name(at)),
    edges: pairs.filter(([a, b]) => a !== b).map(([a, b]) => edge(name(Math.max(a, b)), name(Math.min(a, b)))),
  })),
)

function overlaps(places: readonly Place[]): boolean {
  return places.some((a, at) =>
    places.slice(at + 1).some((b) => Math.abs(a.x - b.x) < NODE_WIDTH && Math.abs(a.y - b.y) < NODE_HEIGHT),
  )
}

describe("a layout of any plan", () => {
  it("places every task once, none over another, and each right of what it builds upon", () => {
    fc.assert(
      fc.property(plan, ({ uuids, edges }) => {
        const places = layout(uuids, edges)
        expect([...places.keys()].toSorted()).toEqual(uuids.toSorted())
        expect(overlaps([...places.values()])).toBe(false)
        for (const { taskUuid, dependsOnUuid } of edges)
          expect(places.get(taskUuid)?.x).toBeGreaterThan(places.get(dependsOnUuid)?.x ?? 0)
      }),
      { numRuns: 15 },
    )
  })

  it("puts what belongs to nothing below all the rest", () => {
    const places = layout(["a", "b", "alone"], [edge("b", "a")])
    expect(places.get("alone")?.y).toBeGreaterThan(
      Math.max(places.get("a")?.y ?? 0, places.get("b")?.y ?? 0) + NODE_HEIGHT,
    )
  })

  it("stands still when it is asked twice", () => {
    fc.assert(
      fc.property(plan, ({ uuids, edges }) => {
        expect([...layout(uuids, edges)]).toEqual([...layout(uuids, edges)])
      }),
      { numRuns: 5 },
    )
  })
})

describe("the layout of tasks alone", () => {
  it("is nothing for none and the corner for one", () => {
    expect([...layout([], [])]).toEqual([])
    expect(layout(["a"], []).get("a")).toEqual({ x: 0, y: 0 })
  })

  it("fills rows of four, and longer ones only for many", () => {
    const columns = (count: number) =>
      new Set(
        [
          ...layout(
            Array.from({ length: count }, (_, at) => name(at)),
            [],
          ).values(),
        ].map(({ x }) => x),
      ).size
    expect([columns(3), columns(16), columns(25)]).toEqual([3, 4, 5])
  })
})

describe("the layout of more than can be arranged with care", () => {
  const size = 700
  const uuids = Array.from({ length: size }, (_, at) => name(at))
  const chain = uuids.slice(1).map((uuid, at) => edge(uuid, name(Math.floor(at / 2))))

  it("keeps the order of work and lays nothing over another", () => {
    const places = layout(uuids, chain)
    for (const { taskUuid, dependsOnUuid } of chain)
      expect(places.get(taskUuid)?.x).toBeGreaterThan(places.get(dependsOnUuid)?.x ?? 0)
    expect(overlaps([...places.values()])).toBe(false)
  })

  it("ends also where tasks wait for each other in a circle", () => {
    expect(layout(uuids, [...chain, edge(name(0), name(size - 1))]).size).toBe(size)
  })

  it("does not run out of room on a single long chain", () => {
    const long = Array.from({ length: 20_000 }, (_, at) => name(at))
    const places = layout(
      long.toReversed(),
      long.slice(1).map((uuid, at) => edge(uuid, name(at))),
    )
    expect(places.get(name(19_999))?.x).toBeGreaterThan(places.get(name(19_998))?.x ?? 0)
  })
})
