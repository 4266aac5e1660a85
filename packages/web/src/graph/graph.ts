import type { LogEvent, OutputOf, work } from "@chorus/contracts"
import { criticalPath, isFinished } from "@chorus/core"
import { changesLabels } from "../items/label-names.ts"
import type { Follow } from "../live/live-store.ts"
import type { LayoutEdge } from "./layout.ts"

export type GraphAnswer = OutputOf<typeof work.getTaskGraph>
export type GraphNode = GraphAnswer["nodes"][number]
export type GraphEdge = GraphAnswer["edges"][number]

/** Merges what happens to tasks; asks for the graph anew when its shape changes. */
export function followGraph(projectUuid: string): Follow<GraphAnswer> {
  return {
    apply(answer, event) {
      if (event.projectUuid !== projectUuid) return answer
      if (changesLabels(event)) return undefined
      if (event.entityType !== "task") return answer
      if (changesShape(event)) return undefined
      const at = answer.nodes.findIndex(({ uuid }) => uuid === event.entityUuid)
      const node = answer.nodes[at]
      return node === undefined ? answer : { ...answer, nodes: answer.nodes.with(at, { ...node, ...event.patch }) }
    },
  }
}

export interface Relations {
  /** Tasks on the longest chain of unfinished work. */
  readonly critical: ReadonlySet<string>
  /** For each task, the unfinished tasks it waits for. */
  readonly blockers: ReadonlyMap<string, readonly GraphNode[]>
  /** Estimated hours along the critical path; what nobody estimated counts as one. */
  readonly weight: number
  /** How many on it nobody estimated. */
  readonly guessed: number
}

/**
 * What follows from the statuses as they are now, by the server's own rules. Where nobody estimated anything there is no critical
 * path: the chain of most tasks would pass for the one that takes longest.
 */
export function relations(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Relations {
  const byUuid = new Map(nodes.map((node) => [node.uuid, node]))
  const estimated = nodes.some(({ storyPoints, status }) => storyPoints !== null && !isFinished(status))
  const path = criticalPath(
    (estimated ? nodes : []).map(({ uuid, storyPoints, status }) => ({
      uuid,
      weight: storyPoints,
      finished: isFinished(status),
    })),
    edges,
  )
  const blockers = new Map<string, GraphNode[]>()
  for (const { taskUuid, dependsOnUuid } of edges) {
    const blocker = byUuid.get(dependsOnUuid)
    if (blocker === undefined || isFinished(blocker.status)) continue
    blockers.set(taskUuid, [...(blockers.get(taskUuid) ?? []), blocker])
  }
  const weight = path.reduce((sum, uuid) => sum + (byUuid.get(uuid)?.storyPoints ?? 1), 0)
  const guessed = path.filter((uuid) => byUuid.get(uuid)?.storyPoints === null).length
  return { critical: new Set(path), blockers, weight, guessed }
}

/** Everything before and after a task, so that its chain can be lit up. */
export function chainOf(uuid: string, edges: readonly LayoutEdge[]): ReadonlySet<string> {
  return new Set([...following(uuid, edges, "dependsOnUuid", "taskUuid"), ...waitingFor(uuid, edges)])
}

/** The task and all that waits for it, directly or through others: what it can never wait for itself. */
export function waitingFor(uuid: string, edges: readonly LayoutEdge[]): ReadonlySet<string> {
  return following(uuid, edges, "taskUuid", "dependsOnUuid")
}

/** All that is reached along the edges towards one of their ends. */
function following(
  start: string,
  edges: readonly LayoutEdge[],
  to: keyof LayoutEdge,
  from: keyof LayoutEdge,
): ReadonlySet<string> {
  const next = Map.groupBy(edges, (edge) => edge[from])
  const reached = new Set([start])
  // What is added while a set is walked through is walked through as well.
  for (const each of reached) for (const edge of next.get(each) ?? []) reached.add(edge[to])
  return reached
}

function changesShape({ action, kind }: LogEvent): boolean {
  return action !== "updated" || kind === "task.dependencies_changed"
}
