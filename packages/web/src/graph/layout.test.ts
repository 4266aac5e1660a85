import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { edgeKey, type Layout, layout, type LayoutEdge } from "./layout.ts"
import { NODE_HEIGHT, NODE_WIDTH, type Place } from "./measures.ts"

const edge = (taskUuid: string, dependsOnUuid: string): LayoutEdge => ({ taskUuid, dependsOnUuid })
const name = (at: number) => `t${at}`
const names = (size: number) => Array.from({ length: size }, (_, at) => name(at))

/** Any graph, circles included. */
const anything = fc.integer({ min: 1, max: 70 }).chain((size) =>
  fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 2 * size }).map((pairs) => ({
    uuids: names(size),
    edges: unique(pairs.map(([a, b]) => edge(name(a), name(b)))),
  })),
)

/** Edges that only point to lower numbers cannot form a circle. */
const plan = anything.map(({ uuids, edges }) => ({
  uuids,
  edges: unique(
    edges
      .map(({ taskUuid, dependsOnUuid }) => [taskUuid, dependsOnUuid].toSorted((a, b) => number(a) - number(b)))
      .map(([low = "", high = ""]) => edge(high, low)),
  ),
}))

/** What real plans look like, and what breaks layouts: one for each shape, at each size. */
const FAMILIES: Readonly<Record<string, (size: number) => LayoutEdge[]>> = {
  chain: (size) =>
    names(size)
      .slice(1)
      .map((uuid, at) => edge(uuid, name(at))),
  fan: (size) => names(size - 2).flatMap((_, at) => [edge(name(at + 1), name(0)), edge(name(size - 1), name(at + 1))]),
  tree: (size) =>
    names(size)
      .slice(1)
      .map((uuid, at) => edge(uuid, name(Math.floor(at / 3)))),
  layers: (size) => {
    const wide = Math.ceil(Math.sqrt(size) * 0.7)
    return names(size)
      .slice(wide)
      .flatMap((uuid, at) =>
        [0, 7].map((step) => edge(uuid, name(Math.floor(at / wide) * wide + ((at * 13 + step) % wide)))),
      )
  },
  "long reach": (size) =>
    names(size)
      .slice(1)
      .flatMap((uuid, at) => [edge(uuid, name(at)), edge(uuid, name(at >> 2))]),
}
const cases = Object.keys(FAMILIES).flatMap((family) => [12, 60, 200, 600].map((size) => [family, size] as const))

function unique(edges: readonly LayoutEdge[]): LayoutEdge[] {
  const kept = edges.filter(({ taskUuid, dependsOnUuid }) => taskUuid !== dependsOnUuid)
  return [...new Map(kept.map((each) => [edgeKey(each), each])).values()]
}

function number(uuid: string): number {
  return Number(uuid.slice(1))
}

/** Lines that lie behind a task that is not one of their two, or run through one of those. */
function behind({ places, routes }: Layout, edges: readonly LayoutEdge[]): string[] {
  return edges
    .filter((each) => {
      const line = routes.get(edgeKey(each)) ?? []
      return [...places.values()].some((place) => line.some((to, at) => crosses(line[at - 1] ?? to, to, place)))
    })
    .map(edgeKey)
}

/** Whether the piece of a line runs inside; touching the edge is how a line arrives. */
function crosses(from: Place, to: Place, { x, y }: Place): boolean {
  return (
    Math.max(from.x, to.x) > x &&
    Math.min(from.x, to.x) < x + NODE_WIDTH &&
    Math.max(from.y, to.y) > y &&
    Math.min(from.y, to.y) < y + NODE_HEIGHT
  )
}

/** Each line begins and ends on the side of its own two tasks. */
function unjoined({ places, routes }: Layout, edges: readonly LayoutEdge[]): string[] {
  const touches = (point: Place | undefined, place: Place | undefined) =>
    point !== undefined &&
    place !== undefined &&
    (point.x === place.x || point.x === place.x + NODE_WIDTH) &&
    point.y > place.y &&
    point.y < place.y + NODE_HEIGHT
  return edges
    .filter((each) => {
      const line = routes.get(edgeKey(each)) ?? []
      return !(touches(line[0], places.get(each.dependsOnUuid)) && touches(line.at(-1), places.get(each.taskUuid)))
    })
    .map(edgeKey)
}

function overlaps(places: readonly Place[]): boolean {
  return places.some((a, at) =>
    places.slice(at + 1).some((b) => Math.abs(a.x - b.x) < NODE_WIDTH && Math.abs(a.y - b.y) < NODE_HEIGHT),
  )
}

function expectSound(laid: Layout, uuids: readonly string[], edges: readonly LayoutEdge[]): void {
  expect([...laid.places.keys()].toSorted()).toEqual(uuids.toSorted())
  expect(overlaps([...laid.places.values()])).toBe(false)
  expect(behind(laid, edges)).toEqual([])
  expect(unjoined(laid, edges)).toEqual([])
}

describe("a layout of any graph", () => {
  it("lays no task over another and no line behind a task, circles or not", () => {
    fc.assert(
      fc.property(anything, ({ uuids, edges }) => expectSound(layout(uuids, edges), uuids, edges)),
      { numRuns: 150 },
    )
  })

  it("does so also where tasks and dependencies come and go and the rest stays", () => {
    fc.assert(
      fc.property(anything, anything, (before, after) => {
        const first = layout(before.uuids, before.edges)
        expectSound(layout(after.uuids, after.edges, first.memory), after.uuids, after.edges)
      }),
      { numRuns: 100 },
    )
  })

  it("puts each task right of what it builds upon, or in a band below", () => {
    fc.assert(
      fc.property(plan, ({ uuids, edges }) => {
        const { memory } = layout(uuids, edges)
        for (const { taskUuid, dependsOnUuid } of edges)
          expect(memory.columns.get(taskUuid)).toBeGreaterThan(memory.columns.get(dependsOnUuid) ?? 0)
      }),
      { numRuns: 40 },
    )
  })

  it("is the same when it is asked twice", () => {
    fc.assert(
      fc.property(plan, ({ uuids, edges }) => {
        expect(layout(uuids, edges)).toEqual(layout(uuids, edges))
      }),
      { numRuns: 10 },
    )
  })

  it.each(cases)("is sound for a %s of %i, and no column of it is a tower", (family, size) => {
    const [uuids, edges] = [names(size), unique(FAMILIES[family]?.(size) ?? [])]
    const laid = layout(uuids, edges)
    expectSound(laid, uuids, edges)
    expect(laid.width / laid.height).toBeGreaterThan(0.3)
    expect(laid.width / laid.height).toBeLessThan(8)
  })
})

describe("what stands already", () => {
  it.each(cases)("stays where it is in a %s of %i when a task is added", (family, size) => {
    const [uuids, edges] = [names(size), unique(FAMILIES[family]?.(size) ?? [])]
    const first = layout(uuids, edges)
    const second = layout([...uuids, "new"], [...edges, edge("new", name(size >> 1))], first.memory)
    const moved = uuids
      .map((uuid) => {
        const [from, to] = [first.places.get(uuid), second.places.get(uuid)]
        return Math.hypot((to?.x ?? 0) - (from?.x ?? 0), (to?.y ?? 0) - (from?.y ?? 0))
      })
      .toSorted((a, b) => a - b)
    expect(moved[size >> 1]).toBeLessThanOrEqual(48)
    // Nothing moves further than to the next column or row.
    expect(moved.at(-1)).toBeLessThanOrEqual(300)
  })

  it("moves only what a new dependency pushes to the right", () => {
    const uuids = ["a", "b", "c", "d"]
    const first = layout(uuids, [edge("b", "a"), edge("d", "c")])
    const second = layout(uuids, [edge("b", "a"), edge("d", "c"), edge("c", "b")], first.memory)
    expect(["a", "b"].map((uuid) => second.places.get(uuid))).toEqual(["a", "b"].map((uuid) => first.places.get(uuid)))
    expect(second.memory.columns.get("c")).toBe(2)
    expect(second.memory.columns.get("d")).toBe(3)
  })
})

describe("tasks without relations", () => {
  it("stand below all the rest", () => {
    const { places } = layout(["a", "b", "alone"], [edge("b", "a")])
    expect(places.get("alone")?.y).toBeGreaterThan(
      Math.max(places.get("a")?.y ?? 0, places.get("b")?.y ?? 0) + NODE_HEIGHT,
    )
  })

  it("are nothing for none, the corner for one, and rows for many", () => {
    expect(layout([], []).places.size).toBe(0)
    expect(layout(["a"], []).places.get("a")).toEqual({ x: 0, y: 0 })
    const { places } = layout(names(100), [])
    expect(new Set([...places.values()].map(({ x }) => x)).size).toBeLessThan(12)
    expect(overlaps([...places.values()])).toBe(false)
  })

  it("keep their cells when one of them goes", () => {
    const first = layout(["a", "b", "c"], [])
    const second = layout(["a", "c", "d"], [], first.memory)
    expect(second.places.get("c")).toEqual(first.places.get("c"))
    expect(second.places.get("d")).toEqual(first.places.get("b"))
  })
})

describe("a large graph", () => {
  it.each(Object.keys(FAMILIES))("of 2,000 takes a processor less than a second: %s", (family) => {
    const [uuids, edges] = [names(2000), unique(FAMILIES[family]?.(2000) ?? [])]
    const began = process.cpuUsage()
    const laid = layout(uuids, edges)
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(1000)
    expect(laid.places.size).toBe(2000)
  })

  it("does not run out of room on a single long chain", () => {
    const laid = layout(names(20_000).toReversed(), FAMILIES["chain"]?.(20_000) ?? [])
    expect(laid.memory.columns.get(name(19_999))).toBe(19_999)
  })
})
