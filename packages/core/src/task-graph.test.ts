import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  atOnce,
  chainWeights,
  criticalPath,
  findCycle,
  type GraphEdge,
  type GraphTask,
  leadsTo,
  waves,
} from "./task-graph.ts"

const edge = (taskUuid: string, dependsOnUuid: string): GraphEdge => ({ taskUuid, dependsOnUuid })
const task = (uuid: string, weight: number | null = 1, finished = false): GraphTask => ({ uuid, weight, finished })

const anyEdges = fc.array(fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 7 })), { maxLength: 20 })
/** Edges that only point to lower numbers cannot form a cycle. */
const acyclic = anyEdges.map((pairs) =>
  pairs.filter(([a, b]) => a !== b).map(([a, b]) => edge(String(Math.max(a, b)), String(Math.min(a, b)))),
)

describe("findCycle", () => {
  it("names the tasks of the cycle in order", () => {
    expect(findCycle([edge("a", "b"), edge("b", "c"), edge("c", "b")])).toEqual(["b", "c"])
    expect(findCycle([edge("a", "a")])).toEqual(["a"])
    expect(findCycle([edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "d")])).toBeUndefined()
  })

  it("finds one exactly when there is one", () => {
    fc.assert(
      fc.property(anyEdges, (pairs) => {
        const edges = pairs.map(([a, b]) => edge(String(a), String(b)))
        const cycle = findCycle(edges)
        if (cycle === undefined) expect(reachesItself(edges)).toBe(false)
        else
          for (const [index, uuid] of cycle.entries())
            expect(edges).toContainEqual(edge(uuid, cycle[(index + 1) % cycle.length] ?? ""))
      }),
    )
  })

  it("walks a chain longer than the stack", () => {
    const chain = Array.from({ length: 50_000 }, (_, index) => edge(String(index + 1), String(index)))
    expect(findCycle(chain)).toBeUndefined()
    expect(findCycle([...chain, edge("0", "50000")])?.length).toBe(50_001)
  })
})

describe("leadsTo", () => {
  it("says yes exactly when the opposite edge would close a circle", () => {
    fc.assert(
      fc.property(acyclic, fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 7 }), (edges, from, to) => {
        const closed = findCycle([...edges, edge(String(to), String(from))]) !== undefined
        expect(leadsTo(edges, String(from), String(to))).toBe(closed)
      }),
    )
  })
})

describe("waves", () => {
  it("puts every task after all it waits for, and each as early as it can be", () => {
    fc.assert(
      fc.property(acyclic, (edges) => {
        const tasks = Array.from({ length: 8 }, (_, index) => task(String(index)))
        const found = waves(tasks, edges)
        const waveOf = new Map(found.flatMap((wave, index) => wave.map((uuid) => [uuid, index] as const)))
        expect(waveOf.size).toBe(8)
        for (const { uuid } of tasks) {
          const before = edges
            .filter((each) => each.taskUuid === uuid)
            .map((each) => waveOf.get(each.dependsOnUuid) ?? -1)
          expect(waveOf.get(uuid)).toBe(Math.max(-1, ...before) + 1)
        }
      }),
    )
  })

  it("does not wait for what is finished", () => {
    expect(waves([task("a", 1, true), task("b"), task("c")], [edge("b", "a"), edge("c", "b")])).toEqual([["b"], ["c"]])
  })
})

describe("the critical path", () => {
  const tasks = [task("small"), task("big", 8), task("mid", 3), task("end", 2), task("other", 4)]
  const edges = [edge("mid", "small"), edge("end", "mid"), edge("end", "big")]

  it("follows the heaviest chain", () => {
    expect(criticalPath(tasks, edges)).toEqual(["big", "end"])
    expect(atOnce(chainWeights(tasks, edges)).get("small")).toBe(6)
  })

  it("forgets finished work and counts what nobody estimated as one", () => {
    expect(criticalPath([task("small", null), task("big", 8, true), task("mid", 3), task("end", 2)], edges)).toEqual([
      "small",
      "mid",
      "end",
    ])
    expect(criticalPath([task("a", 1, true)], [])).toEqual([])
  })
})

function reachesItself(edges: readonly GraphEdge[]): boolean {
  let reach = new Set(edges.map((each) => `${each.taskUuid}>${each.dependsOnUuid}`))
  for (let size = -1; size !== reach.size;) {
    size = reach.size
    const pairs = [...reach].map((pair) => pair.split(">"))
    reach = new Set([
      ...reach,
      ...pairs.flatMap(([a, b]) => pairs.filter(([c]) => c === b).map(([, d]) => `${a}>${d}`)),
    ])
  }
  return [...reach].some((pair) => pair.split(">")[0] === pair.split(">")[1])
}
