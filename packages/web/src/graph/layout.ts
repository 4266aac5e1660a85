import { breakCycles, columnsOf, type Graph } from "./columns.ts"
import { type Item, placeRows } from "./rows.ts"
import { GAP, NODE_HEIGHT, NODE_WIDTH, type Place } from "./measures.ts"
import { route } from "./routes.ts"

export interface LayoutEdge {
  readonly taskUuid: string
  readonly dependsOnUuid: string
}

export interface Layout {
  readonly places: ReadonlyMap<string, Place>
  /** The corners of each edge's line, from what comes first to what waits for it, by `edgeKey`. */
  readonly routes: ReadonlyMap<string, readonly Place[]>
  readonly width: number
  readonly height: number
  /** What the next layout needs so that nothing moves that need not. */
  readonly memory: Memory
}

export interface Memory {
  /** How many columns stand side by side before the next go on below. */
  readonly perBand: number
  readonly columns: ReadonlyMap<string, number>
  readonly rows: ReadonlyMap<string, number>
  /** How wide the gaps between columns are, band by band; they only grow. */
  readonly gutters: readonly (readonly number[])[]
  /** The cells of tasks without relations. */
  readonly cells: ReadonlyMap<string, number>
  readonly perRow: number
}

const COLUMN = NODE_WIDTH + 80
const ROW = NODE_HEIGHT + GAP
const LANE = 12
/** How much wider than high a graph may be before it is folded. */
const WIDEST = 2.4

/**
 * From left to right in the order of work, in columns of bounded height; what is longer goes on below, and tasks without relations
 * stand last, in rows. A line runs only where no task can stand: between columns, between bands, or in a lane that its column
 * keeps free for it. With what an earlier layout remembers, tasks stay where they were and newcomers find room among them.
 */
export function layout(uuids: readonly string[], given: readonly LayoutEdge[], before?: Memory): Layout {
  const known = new Set(uuids)
  const edges = given.filter(
    ({ taskUuid, dependsOnUuid }) => taskUuid !== dependsOnUuid && known.has(taskUuid) && known.has(dependsOnUuid),
  )
  const related = new Set(edges.flatMap(({ taskUuid, dependsOnUuid }) => [taskUuid, dependsOnUuid]))
  const connected = uuids.filter((uuid) => related.has(uuid))
  const graph = graphOf(connected, edges)
  const columns = columnsOf(
    graph,
    connected.map((uuid) => before?.columns.get(uuid)),
  )
  const perBand = columnsPerBand(graph, columns, before)
  const items = placeRows(
    graph,
    columns,
    perBand,
    connected.map((uuid) => before?.rows.get(uuid)),
  )
  const { x, y, lines, width, height, gutters } = route(graph, columns, perBand, items, before?.gutters)
  const places = new Map(connected.map((uuid, at) => [uuid, { x: x[at] ?? 0, y: y[at] ?? 0 }]))
  const alone = placeAlone(
    uuids.filter((uuid) => !related.has(uuid)),
    { width, top: height === 0 ? 0 : height + 2 * GAP, before },
  )
  for (const [uuid, place] of alone.places) places.set(uuid, place)
  return {
    places,
    routes: new Map(edges.map((edge, at) => [edgeKey(edge), lines[at] ?? []])),
    width: Math.max(width, alone.width),
    height: Math.max(height, alone.height),
    memory: {
      perBand,
      columns: new Map(connected.map((uuid, at) => [uuid, columns[at] ?? 0])),
      rows: new Map(connected.map((uuid, at) => [uuid, rowOf(items[at])])),
      gutters,
      cells: alone.cells,
      perRow: alone.perRow,
    },
  }
}

export function edgeKey({ taskUuid, dependsOnUuid }: LayoutEdge): string {
  return `${dependsOnUuid} ${taskUuid}`
}

function rowOf(item: Item | undefined): number {
  return item?.y ?? 0
}

function graphOf(uuids: readonly string[], edges: readonly LayoutEdge[]): Graph {
  const at = new Map(uuids.map((uuid, index) => [uuid, index]))
  const index = (uuid: string) => at.get(uuid) ?? 0
  return breakCycles(
    uuids.length,
    edges.map(({ taskUuid, dependsOnUuid }) => [index(dependsOnUuid), index(taskUuid)] as const),
  )
}

/** What is folded stays folded as it was; what is not may grow until it has to be. */
function columnsPerBand(graph: Graph, columns: readonly number[], before: Memory | undefined): number {
  if (before === undefined) return bandWidth(graph, columns)
  const folded = [...before.columns.values()].some((column) => column >= before.perBand)
  return folded ? before.perBand : Math.max(before.perBand, bandWidth(graph, columns))
}

/** Long chains are folded, until the whole has about the shape of a window. */
function bandWidth(graph: Graph, columns: readonly number[]): number {
  const all = columns.reduce((most, column) => Math.max(most, column + 1), 0)
  const heights = Array.from({ length: all }, () => 0)
  const add = (column: number, height: number) => void (heights[column] = (heights[column] ?? 0) + height)
  for (const column of columns) add(column, ROW)
  for (const edges of Map.groupBy(graph.edges, ({ bundle }) => bundle).values()) {
    const from = Math.min(...edges.map((edge) => columns[edge.from] ?? 0))
    const to = Math.max(...edges.map((edge) => columns[edge.to] ?? 0))
    for (let column = from + 1; column < to; column++) add(column, LANE)
  }
  const tallest = Math.max(ROW, ...heights)
  for (let bands = 1; ; bands++) {
    const perBand = Math.ceil(all / bands)
    if (perBand <= 4 || perBand * COLUMN <= WIDEST * bands * tallest) return Math.max(1, perBand)
  }
}

interface Alone {
  readonly places: ReadonlyMap<string, Place>
  readonly cells: ReadonlyMap<string, number>
  readonly perRow: number
  readonly width: number
  readonly height: number
}

function placeAlone(
  uuids: readonly string[],
  { width, top, before }: { width: number; top: number; before: Memory | undefined },
): Alone {
  const fitting = Math.floor((width + GAP) / (NODE_WIDTH + GAP))
  const perRow = before?.perRow ?? Math.max(4, fitting, Math.ceil(Math.sqrt(uuids.length * 0.8)))
  const cells = new Map(
    uuids.flatMap((uuid) => {
      const cell = before?.cells.get(uuid)
      return cell === undefined ? [] : [[uuid, cell] as const]
    }),
  )
  const taken = new Set(cells.values())
  let free = 0
  for (const uuid of uuids) {
    if (cells.has(uuid)) continue
    while (taken.has(free)) free++
    taken.add(free)
    cells.set(uuid, free)
  }
  const places = new Map(
    [...cells].map(([uuid, cell]) => [
      uuid,
      { x: (cell % perRow) * (NODE_WIDTH + GAP), y: top + Math.floor(cell / perRow) * ROW },
    ]),
  )
  const all = [...places.values()]
  return {
    places,
    cells,
    perRow,
    width: all.reduce((most, { x }) => Math.max(most, x + NODE_WIDTH), 0),
    height: all.reduce((most, { y }) => Math.max(most, y + NODE_HEIGHT), 0),
  }
}
