import { isFinished } from "@chorus/core"
import type { GraphEdge, GraphNode } from "./graph.ts"
import type { LayoutEdge } from "./layout.ts"

/** Beyond so many a graph opens folded: nobody reads hundreds of titles at once. */
const FOLDS_FROM = 150

export interface Fold {
  readonly uuid: string
  readonly title: string
  readonly tasks: readonly GraphNode[]
  readonly finished: number
}

export interface Folded {
  /** Tasks that stand by themselves. */
  readonly tasks: readonly GraphNode[]
  readonly folds: readonly Fold[]
  /** Between what is shown; what lies within a fold is not. */
  readonly edges: readonly LayoutEdge[]
}

/** What tasks are gathered by: the proposal they came from, or the first of their labels. */
export type FoldBy = "proposal" | "label"

export function foldOf(
  { proposalUuid, labels }: Pick<GraphNode, "proposalUuid" | "labels">,
  by: FoldBy,
): string | null {
  return by === "proposal" ? proposalUuid : (labels[0] ?? null)
}

export interface Folding {
  readonly by: FoldBy
  /** The names of what is folded, by what its tasks are gathered by. */
  readonly folds: ReadonlyMap<string, string>
}

/** How a graph opens: as it is, or, where it has many tasks, gathered by what leaves the fewest of them to read. */
export function foldingAtFirst(nodes: readonly GraphNode[], ways: readonly Folding[]): Folding {
  const whole: Folding = { by: "proposal", folds: new Map() }
  if (nodes.length <= FOLDS_FROM) return whole
  const left = ({ by, folds }: Folding) => {
    const keys = nodes.map((node) => foldOf(node, by)).filter((key) => key !== null && folds.has(key))
    const gathered = new Set(keys).size
    // One fold alone would say nothing of the work.
    return gathered < 2 ? nodes.length : nodes.length - keys.length + gathered
  }
  const [best] = ways.filter((way) => left(way) < nodes.length).toSorted((one, other) => left(one) - left(other))
  return best ?? whole
}

/** The graph with the tasks of some proposals, or under some labels, drawn as one each. */
export function foldTasks(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  folded: ReadonlyMap<string, string>,
  by: FoldBy,
): Folded {
  const foldIn = (node: GraphNode) => {
    const key = foldOf(node, by)
    return key !== null && folded.has(key) ? key : undefined
  }
  const isFolded = (node: GraphNode) => foldIn(node) !== undefined
  const standsFor = new Map(nodes.map((node) => [node.uuid, foldIn(node) ?? node.uuid]))
  const folds = [...Map.groupBy(nodes.filter(isFolded), (node) => foldIn(node) ?? "")].map(([uuid, tasks]) => ({
    uuid,
    title: folded.get(uuid) ?? "",
    tasks,
    finished: tasks.filter(({ status }) => isFinished(status)).length,
  }))
  const between = new Map<string, LayoutEdge>()
  for (const edge of edges) {
    const [taskUuid, dependsOnUuid] = [standsFor.get(edge.taskUuid), standsFor.get(edge.dependsOnUuid)]
    if (taskUuid === undefined || dependsOnUuid === undefined || taskUuid === dependsOnUuid) continue
    between.set(`${dependsOnUuid} ${taskUuid}`, { taskUuid, dependsOnUuid })
  }
  return { tasks: nodes.filter((node) => !isFolded(node)), folds, edges: [...between.values()] }
}
