import { graphlib, layout as arrange } from "@dagrejs/dagre"

export interface Place {
  readonly x: number
  readonly y: number
}

export const NODE_WIDTH = 220
export const NODE_HEIGHT = 68
const GAP = 24
/** Beyond this the careful layout takes too long to be worth it. */
const CAREFUL = 600

interface Edge {
  readonly taskUuid: string
  readonly dependsOnUuid: string
}

/** From left to right in the order of work; tasks without relations stand below in rows. */
export function layout(uuids: readonly string[], edges: readonly Edge[]): ReadonlyMap<string, Place> {
  const related = new Set(edges.flatMap(({ taskUuid, dependsOnUuid }) => [taskUuid, dependsOnUuid]))
  const connected = uuids.filter((uuid) => related.has(uuid))
  const places = connected.length > CAREFUL ? inWaves(connected, edges) : byDagre(connected, edges)
  const bottom = Math.max(0, ...[...places.values()].map(({ y }) => y + NODE_HEIGHT)) + (places.size > 0 ? GAP * 3 : 0)
  const alone = uuids.filter((uuid) => !related.has(uuid))
  const perRow = Math.max(4, Math.ceil(Math.sqrt(alone.length)))
  alone.forEach((uuid, index) => {
    places.set(uuid, {
      x: (index % perRow) * (NODE_WIDTH + GAP),
      y: bottom + Math.floor(index / perRow) * (NODE_HEIGHT + GAP),
    })
  })
  return places
}

function byDagre(uuids: readonly string[], edges: readonly Edge[]): Map<string, Place> {
  const graph = new graphlib.Graph()
  graph.setGraph({ rankdir: "LR", nodesep: GAP, ranksep: 72 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const uuid of uuids) graph.setNode(uuid, { width: NODE_WIDTH, height: NODE_HEIGHT })
  for (const { taskUuid, dependsOnUuid } of edges) graph.setEdge(dependsOnUuid, taskUuid)
  arrange(graph)
  return new Map(
    uuids.map((uuid) => {
      const { x, y } = graph.node(uuid) as Place
      return [uuid, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }]
    }),
  )
}

function inWaves(uuids: readonly string[], edges: readonly Edge[]): Map<string, Place> {
  const depths = depthsOf(uuids, edges)
  const rows = new Map<number, number>()
  return new Map(
    uuids.map((uuid) => {
      const depth = depths.get(uuid) ?? 0
      const row = rows.get(depth) ?? 0
      rows.set(depth, row + 1)
      return [uuid, { x: depth * (NODE_WIDTH + 72), y: row * (NODE_HEIGHT + GAP) }]
    }),
  )
}

/** How many steps lie before each task; walked without recursion, as chains may be longer than the stack. */
function depthsOf(uuids: readonly string[], edges: readonly Edge[]): ReadonlyMap<string, number> {
  const before = Map.groupBy(edges, ({ taskUuid }) => taskUuid)
  const earlierThan = (uuid: string) => (before.get(uuid) ?? []).map(({ dependsOnUuid }) => dependsOnUuid)
  const begun = new Set<string>()
  const depths = new Map<string, number>()
  const walk = uuids.toReversed()
  for (let uuid = walk.at(-1); uuid !== undefined; uuid = walk.at(-1)) {
    begun.add(uuid)
    const open = earlierThan(uuid).filter((each) => !begun.has(each))
    if (open.length > 0) {
      walk.push(...open)
      continue
    }
    walk.pop()
    depths.set(uuid, Math.max(-1, ...earlierThan(uuid).map((each) => depths.get(each) ?? -1)) + 1)
  }
  return depths
}
