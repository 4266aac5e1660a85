import { leadsTo } from "@chorus/core"
import type { LogEvent } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { logEvent } from "../../test/rows.ts"
import { foldingAtFirst } from "./folded.ts"
import { chainOf, followGraph, type GraphAnswer, type GraphNode, relations, waitingFor } from "./graph.ts"

function node(uuid: string, changes: Partial<GraphNode> = {}): GraphNode {
  return {
    uuid,
    projectUuid: "p",
    shortId: uuid,
    proposalUuid: null,
    title: uuid,
    status: "open",
    priority: "medium",
    storyPoints: 2,
    labels: [],
    dueOn: null,
    assignee: null,
    openDependencies: 0,
    ac: { total: 0, passed: 0, checked: 0 },
    createdAt: "",
    updatedAt: "",
    wave: 0,
    critical: false,
    blockedBy: [],
    ...changes,
  }
}

const edge = (taskUuid: string, dependsOnUuid: string) => ({ taskUuid, dependsOnUuid, contract: null })
const edges = [edge("b", "a"), edge("c", "b"), edge("d", "a")]

function event(kind: string, action: LogEvent["action"], patch: Record<string, unknown>): LogEvent {
  return logEvent({
    kind,
    entityType: "task",
    entityUuid: "a",
    projectUuid: "p",
    action,
    patch,
  })
}

describe("relations", () => {
  it("finds the longest chain of unfinished work and who blocks whom", () => {
    const { critical, blockers, weight } = relations([node("a"), node("b"), node("c"), node("d")], edges)
    expect([...critical]).toEqual(["a", "b", "c"])
    expect(weight).toBe(6)
    expect(blockers.get("c")?.map(({ uuid }) => uuid)).toEqual(["b"])
  })

  it("forgets what is done", () => {
    const { blockers } = relations([node("a", { status: "done" }), node("b"), node("c"), node("d")], edges)
    expect(blockers.has("b")).toBe(false)
  })

  it("lights up everything before and after a task", () => {
    expect([...chainOf("b", edges)].sort()).toEqual(["a", "b", "c"])
  })
})

describe("relations as they stand", () => {
  it("know no critical path where nobody estimated anything", () => {
    const none = relations([node("a", { storyPoints: null }), node("b", { storyPoints: null })], [edge("b", "a")])
    expect([none.weight, none.critical.size]).toEqual([0, 0])
    expect(none.blockers.get("b")?.map(({ uuid }) => uuid)).toEqual(["a"])
  })

  it("count what nobody estimated as one hour and say so, and nothing when all is done", () => {
    const some = relations([node("a", { storyPoints: null }), node("b")], [edge("b", "a")])
    expect([some.weight, some.guessed]).toEqual([3, 1])
    const done = relations([node("a", { status: "done" }), node("b", { status: "closed" })], [edge("b", "a")])
    expect([done.weight, done.critical.size, done.blockers.size]).toEqual([0, 0, 0])
  })

  it("count half hours", () => {
    expect(relations([node("a", { storyPoints: 0.5 })], []).weight).toBe(0.5)
  })

  it("name every unfinished task that blocks, and none that is not in the graph", () => {
    const { blockers } = relations(
      [node("a"), node("b", { status: "in_progress" }), node("c", { status: "closed" }), node("d")],
      [edge("d", "a"), edge("d", "b"), edge("d", "c"), edge("d", "elsewhere")],
    )
    expect(blockers.get("d")?.map(({ uuid }) => uuid)).toEqual(["a", "b"])
  })
})

describe("the chain of a task", () => {
  /** Edges that only point to lower numbers, as a plan without circles has them. */
  const plans = fc
    .array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 15 })
    .map((pairs) =>
      pairs.filter(([a, b]) => a !== b).map(([a, b]) => edge(String(Math.max(a, b)), String(Math.min(a, b)))),
    )

  it("is itself alone where nothing is before or after it", () => {
    expect([...chainOf("z", edges)]).toEqual(["z"])
  })

  it("leaves out what only shares a beginning or an end with it", () => {
    expect([...chainOf("d", edges)].sort()).toEqual(["a", "d"])
  })

  it("holds whoever holds it", () => {
    fc.assert(
      fc.property(plans, fc.nat(7), fc.nat(7), (plan, one, other) => {
        expect(chainOf(String(one), plan).has(String(other))).toBe(chainOf(String(other), plan).has(String(one)))
      }),
    )
  })

  it("ends also in a circle", () => {
    expect([...chainOf("a", [edge("a", "b"), edge("b", "a")])].sort()).toEqual(["a", "b"])
  })
})

describe("following the graph", () => {
  const answer: GraphAnswer = {
    nodes: [node("a")],
    edges: [],
    waves: [],
    criticalPath: [],
    criticalWeight: 0,
    position: 0,
  }

  it("merges a change of status and asks anew when the shape changes", () => {
    expect(
      followGraph("p").apply(answer, event("task.started", "updated", { status: "in_progress" }))?.nodes[0]?.status,
    ).toBe("in_progress")
    expect(followGraph("p").apply(answer, event("task.dependencies_changed", "updated", {}))).toBeUndefined()
    expect(followGraph("p").apply(answer, event("task.created", "created", {}))).toBeUndefined()
    expect(followGraph("q").apply(answer, event("task.created", "created", {}))).toBe(answer)
  })

  it("asks anew when a task goes, and does not care for tasks it does not show or for other things", () => {
    expect(followGraph("p").apply(answer, event("task.deleted", "deleted", {}))).toBeUndefined()
    expect(followGraph("p").apply(answer, logEvent({ entityUuid: "hidden", patch: { status: "done" } }))).toBe(answer)
    expect(followGraph("p").apply(answer, logEvent({ entityType: "checkin", action: "created" }))).toBe(answer)
  })
})

describe("how a graph opens", () => {
  const ways = [
    { by: "proposal" as const, folds: named("house", "garden") },
    { by: "label" as const, folds: named("roof", "walls") },
  ]
  const many = (count: number, more: (at: number) => Partial<GraphNode>) =>
    Array.from({ length: count }, (_, at) => node(String(at), more(at)))

  function named(...names: readonly string[]): ReadonlyMap<string, string> {
    return new Map(names.map((name) => [name, name]))
  }

  it("is whole as long as it can be read, and where nothing gathers its tasks, or all in one", () => {
    const few = many(150, (at) => ({ labels: [at % 2 === 0 ? "roof" : "walls"] }))
    const loose = many(151, () => ({}))
    const alike = many(151, () => ({ proposalUuid: "house" }))
    expect([few, loose, alike].map((nodes) => foldingAtFirst(nodes, ways).folds.size)).toEqual([0, 0, 0])
  })

  it("is by plans where there are several, and by labels where they gather more", () => {
    const plan = (at: number) => ({ proposalUuid: at % 2 === 0 ? "house" : "garden" })
    const label = (at: number) => ({ labels: [at % 2 === 0 ? "roof" : "walls"] })
    expect(foldingAtFirst(many(151, plan), ways).by).toBe("proposal")
    expect(
      foldingAtFirst(
        many(151, (at) => ({ ...plan(at), ...label(at) })),
        ways,
      ).by,
    ).toBe("proposal")
    expect(foldingAtFirst(many(151, label), ways).by).toBe("label")
    expect(
      foldingAtFirst(
        many(151, (at) => (at < 4 ? plan(at) : label(at))),
        ways,
      ).by,
    ).toBe("label")
    expect(
      foldingAtFirst(
        many(151, (at) => ({ proposalUuid: "house", ...label(at) })),
        ways,
      ).by,
    ).toBe("label")
  })
})

describe("what a task can never wait for", () => {
  it("is itself and all that leads to it, also around a circle", () => {
    const uuids = [..."abcdef"]
    const one = fc.constantFrom(...uuids)
    fc.assert(
      fc.property(one, fc.array(fc.record({ taskUuid: one, dependsOnUuid: one })), (task, edges) => {
        expect([...waitingFor(task, edges)].toSorted()).toEqual(uuids.filter((each) => leadsTo(edges, each, task)))
      }),
    )
  })
})
