import type { Graph } from "./columns.ts"

/** What takes room in a column: a task, or the lane that the line of a bundle runs through. */
export interface Item {
  /** The task, or the bundle whose line it is. */
  readonly node: number
  readonly lane: boolean
  readonly column: number
  /** The middle, from the top of its band. */
  y: number
  /** Where it would stand if it were alone. */
  wanted: number
  /** What it is joined to in the columns beside it. */
  readonly left: Item[]
  readonly right: Item[]
}

const NODE_STEP = 92
const LANE_STEP = 12
/** The first lane between two tasks costs no room. */
const BESIDE = 46
const SWEEPS = 8
/** Thousands are pulled straight less often; nobody sees each of their lines. */
const [MANY, FEWER] = [4000, 4]
const STEADY = 200

/** The tasks in their order, each as an item with its place in its column, followed by the lanes. */
export function placeRows(
  graph: Graph,
  columns: readonly number[],
  perBand: number,
  kept: readonly (number | undefined)[],
): Item[] {
  const items = joinedItems(graph, columns, perBand)
  const byColumn: Item[][] = []
  for (const item of items) (byColumn[item.column] ??= []).push(item)
  const filled = byColumn.filter((column) => column !== undefined)
  const filledAt = new Map(filled.map(([first], at) => [first?.column, at]))
  const steady = (item: Item) => (item.lane ? undefined : kept[item.node])
  const bandOf = ([first]: readonly Item[]) => Math.floor((first?.column ?? 0) / perBand)
  const bottoms = new Map<number, number>()
  for (const column of filled) {
    stack(column)
    for (const item of column) item.y = steady(item) ?? item.y
    const bottom = column.reduce((most, { y }) => Math.max(most, y), 0) + NODE_STEP / 2
    bottoms.set(bandOf(column), Math.max(bottom, bottoms.get(bandOf(column)) ?? 0))
  }
  const stays = items.some((item) => steady(item) !== undefined)
  const settled = filled.map((column) => column.flatMap((item) => steady(item) ?? []).toSorted((a, b) => a - b))
  const roomNear = (y: number, item: Item) =>
    stays ? freeRoom(y, item.lane, settled[filledAt.get(item.column) ?? 0] ?? []) : y
  for (let sweep = 0; sweep < (items.length > MANY ? FEWER : SWEEPS); sweep++) {
    const toRight = sweep % 2 === 0
    for (const column of toRight ? filled : filled.toReversed()) {
      for (const item of column)
        item.wanted = steady(item) ?? roomNear(middle(toRight ? item.left : item.right) ?? item.y, item)
      column.sort((a, b) => a.wanted - b.wanted || a.node - b.node)
      spread(column, steady, bottoms.get(bandOf(column)) ?? 0)
    }
  }
  for (const band of stays ? [] : Map.groupBy(filled, bandOf).values()) {
    const top = Math.min(...band.flat().map((item) => item.y - fromEdge(item)))
    for (const item of band.flat()) item.y -= top
  }
  for (const item of items) item.y = Math.round(item.y)
  return items
}

function joinedItems(graph: Graph, columns: readonly number[], perBand: number): Item[] {
  const item = (node: number, column: number, lane: boolean): Item => ({
    node,
    lane,
    column,
    y: 0,
    wanted: 0,
    left: [],
    right: [],
  })
  const nodes = Array.from({ length: graph.size }, (_, node) => item(node, columns[node] ?? 0, false))
  const lanes = new Map<string, Item>()
  const bandOf = (node: Item) => Math.floor(node.column / perBand)
  for (const { from, to, bundle } of graph.edges) {
    const [source, target] = [nodes[from], nodes[to]]
    if (source === undefined || target === undefined || bandOf(source) !== bandOf(target)) continue
    let left = source
    for (let column = source.column + 1; column < target.column; column++) {
      const key = `${bundle} ${column}`
      const lane = lanes.get(key) ?? item(bundle, column, true)
      lanes.set(key, lane)
      join(left, lane)
      left = lane
    }
    join(left, target)
  }
  return [...nodes, ...lanes.values()]
}

function join(left: Item, right: Item): void {
  if (left.right.includes(right)) return
  left.right.push(right)
  right.left.push(left)
}

/** The nearest place among tasks that stay where they are, such that none of them has to move. */
function freeRoom(y: number, lane: boolean, taken: readonly number[]): number {
  const half = lane ? BESIDE : NODE_STEP
  const edges = [lane ? LANE_STEP - half : BESIDE - half, ...taken, Number.POSITIVE_INFINITY]
  let best = Number.POSITIVE_INFINITY
  for (let at = 1; at < edges.length; at++) {
    const [from, to] = [(edges[at - 1] ?? 0) + half, (edges[at] ?? 0) - half]
    if (from > to) continue
    const place = Math.min(Math.max(y, from), to)
    if (Math.abs(place - y) < Math.abs(best - y)) best = place
  }
  return best
}

function stack(column: readonly Item[]): void {
  let [y, previous]: [number, Item | undefined] = [0, undefined]
  for (const item of column) {
    y += previous === undefined ? fromEdge(item) : distance(previous, item)
    item.y = y
    previous = item
  }
}

function middle(items: readonly Item[]): number | undefined {
  if (items.length === 0) return undefined
  return items.reduce((sum, { y }) => sum + y, 0) / items.length
}

/**
 * Gives each item of an ordered column the place nearest to what it wants such that all keep their distance: neighbours that
 * want the same room share it as one block, at the average of what its members want. No column is drawn out further than the
 * tallest of its band needs.
 */
function spread(column: readonly Item[], steady: (item: Item) => number | undefined, bottom: number): void {
  const blocks: { start: number; sum: number; weight: number; size: number }[] = []
  const offsets: number[] = []
  let offset = 0
  column.forEach((item, at) => {
    const previous = column[at - 1]
    offset += previous === undefined ? fromEdge(item) : distance(previous, item)
    offsets.push(offset)
    const weight = steady(item) === undefined ? 1 : STEADY
    blocks.push({ start: at, sum: (item.wanted - offset) * weight, weight, size: 1 })
    for (let last = blocks.at(-1), before = blocks.at(-2); last !== undefined && before !== undefined;) {
      if (before.sum / before.weight <= last.sum / last.weight) break
      blocks.splice(-2, 2, {
        start: before.start,
        sum: before.sum + last.sum,
        weight: before.weight + last.weight,
        size: before.size + last.size,
      })
      ;[last, before] = [blocks.at(-1), blocks.at(-2)]
    }
  })
  for (const { start, sum, weight, size } of blocks)
    for (let at = start; at < start + size; at++) {
      const item = column[at]
      const fromTop = offsets[at] ?? 0
      const lowest = Math.max(fromTop, bottom - NODE_STEP / 2 - (offset - fromTop))
      if (item !== undefined) item.y = Math.min(Math.max(sum / weight + fromTop, fromTop), lowest)
    }
}

function fromEdge(item: Item): number {
  return item.lane ? LANE_STEP : BESIDE
}

function distance(above: Item, below: Item): number {
  if (above.lane && below.lane) return LANE_STEP
  return above.lane || below.lane ? BESIDE : NODE_STEP
}
