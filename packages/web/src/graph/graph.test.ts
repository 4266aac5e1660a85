import type { LogEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { chainOf, followGraph, type GraphAnswer, type GraphNode, relations } from "./graph.ts"
import { layout, NODE_HEIGHT, NODE_WIDTH } from "./layout.ts"

function node(uuid: string, changes: Partial<GraphNode> = {}): GraphNode {
  return {
    uuid,
    projectUuid: "p",
    proposalUuid: null,
    title: uuid,
    status: "open",
    priority: "medium",
    storyPoints: 2,
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
  return { id: 1, at: "", kind, entityType: "task", entityUuid: "a", projectUuid: "p", action, patch, actor: { type: "user", uuid: "u", name: "U" }, requestId: null }
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

describe("following the graph", () => {
  const answer: GraphAnswer = { nodes: [node("a")], edges: [], waves: [], criticalPath: [], criticalWeight: 0, position: 0 }

  it("merges a change of status and asks anew when the shape changes", () => {
    expect(followGraph("p").apply(answer, event("task.started", "updated", { status: "in_progress" }))?.nodes[0]?.status).toBe("in_progress")
    expect(followGraph("p").apply(answer, event("task.dependencies_changed", "updated", {}))).toBeUndefined()
    expect(followGraph("p").apply(answer, event("task.created", "created", {}))).toBeUndefined()
    expect(followGraph("q").apply(answer, event("task.created", "created", {}))).toBe(answer)
  })
})

describe("layout", () => {
  it("puts what comes first to the left and never lays one task over another", () => {
    const places = layout(["a", "b", "c", "d", "lone", "lonely"], edges)
    expect(places.get("a")?.x).toBeLessThan(places.get("b")?.x ?? 0)
    expect(places.get("b")?.x).toBeLessThan(places.get("c")?.x ?? 0)
    expectApart([...places.values()])
  })

  it("stays quick with thousands of tasks", () => {
    const uuids = Array.from({ length: 3000 }, (_, index) => `t${index}`)
    const many = uuids.slice(1).map((uuid, index) => edge(uuid, `t${Math.floor(index / 3)}`))
    const began = performance.now()
    const places = layout(uuids, many)
    expect(places.size).toBe(3000)
    expect(performance.now() - began).toBeLessThan(1000)
  })
})

function expectApart(places: readonly { x: number; y: number }[]): void {
  for (const [at, a] of places.entries()) {
    for (const b of places.slice(at + 1)) expect(Math.abs(a.x - b.x) >= NODE_WIDTH || Math.abs(a.y - b.y) >= NODE_HEIGHT).toBe(true)
  }
}
