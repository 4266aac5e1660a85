/** Tasks by number, and what leads from which to which without ever leading back. */
export interface Graph {
  readonly size: number
  /** In the order they were given: from, to, and whether it had to be turned round to break a cycle. */
  readonly edges: readonly GraphEdge[]
  readonly after: readonly (readonly number[])[]
  readonly before: readonly (readonly number[])[]
  /** Everything comes later in it than what leads to it. */
  readonly order: readonly number[]
}

export interface GraphEdge {
  readonly from: number
  readonly to: number
  readonly turned: boolean
  /** Edges of one bundle share their line as far as they can: all that leave a task, or all that reach one. */
  readonly bundle: number
}

/** Turns round what would lead back; walked without recursion, as chains may be longer than the stack. */
export function breakCycles(size: number, pairs: readonly (readonly [number, number])[]): Graph {
  const order = finishOrder(size, neighbours(size, pairs)).toReversed()
  const rank = new Int32Array(size)
  order.forEach((node, at) => (rank[node] = at))
  const oriented = pairs.map(([from, to]) => {
    const turned = (rank[from] ?? 0) > (rank[to] ?? 0)
    return turned ? { from: to, to: from, turned } : { from, to, turned }
  })
  const [leaving, reaching] = [new Uint32Array(size), new Uint32Array(size)]
  for (const { from, to } of oriented) {
    leaving[from] = (leaving[from] ?? 0) + 1
    reaching[to] = (reaching[to] ?? 0) + 1
  }
  const edges = oriented.map((edge) => ({
    ...edge,
    bundle: (reaching[edge.to] ?? 0) > (leaving[edge.from] ?? 0) ? size + edge.to : edge.from,
  }))
  return {
    size,
    edges,
    after: neighbours(
      size,
      edges.map(({ from, to }) => [from, to]),
    ),
    before: neighbours(
      size,
      edges.map(({ from, to }) => [to, from]),
    ),
    order,
  }
}

/**
 * The column of each: right of all that leads to it, and no column higher than the whole asks for. What had a column keeps it
 * where it still can.
 */
export function columnsOf(graph: Graph, kept: readonly (number | undefined)[]): number[] {
  const fresh = kept.every((column) => column === undefined)
  const most = Math.max(6, Math.ceil(1.2 * Math.sqrt(graph.size))) + (fresh ? 0 : 2)
  const columns = Array.from({ length: graph.size }, () => 0)
  const counts: number[] = []
  for (const column of kept) if (column !== undefined) counts[column] = (counts[column] ?? 0) + 1
  for (const node of byPart(graph)) {
    const earliest = Math.max(-1, ...(graph.before[node] ?? []).map((other) => columns[other] ?? 0)) + 1
    const own = kept[node]
    if (own !== undefined && own >= earliest) {
      columns[node] = own
      continue
    }
    if (own !== undefined) counts[own] = (counts[own] ?? 1) - 1
    let column = earliest
    while ((counts[column] ?? 0) >= most) column++
    columns[node] = column
    counts[column] = (counts[column] ?? 0) + 1
  }
  if (fresh) pullToNeeded(graph, columns, counts, most)
  return columns
}

/** What nothing leads to stands just before what first needs it, so that its line is short. */
function pullToNeeded(graph: Graph, columns: number[], counts: number[], most: number): void {
  for (const node of graph.order.toReversed()) {
    if ((graph.before[node] ?? []).length > 0) continue
    const own = columns[node] ?? 0
    const last = Math.min(...(graph.after[node] ?? []).map((other) => columns[other] ?? 0)) - 1
    for (let column = last; column > own; column--) {
      if ((counts[column] ?? 0) >= most) continue
      counts[own] = (counts[own] ?? 1) - 1
      counts[column] = (counts[column] ?? 0) + 1
      columns[node] = column
      break
    }
  }
}

/** In the order of work, what hangs together one after the other. */
function byPart(graph: Graph): number[] {
  const part = new Int32Array(graph.size).fill(-1)
  const depth = new Int32Array(graph.size)
  let parts = 0
  for (const start of graph.order) {
    if ((part[start] ?? -1) >= 0) continue
    part[start] = parts
    const queue = [start]
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      for (const other of [...(graph.after[node] ?? []), ...(graph.before[node] ?? [])]) {
        if ((part[other] ?? -1) >= 0) continue
        part[other] = parts
        queue.push(other)
      }
    }
    parts++
  }
  for (const node of graph.order)
    for (const other of graph.after[node] ?? []) depth[other] = Math.max(depth[other] ?? 0, (depth[node] ?? 0) + 1)
  const value = (list: Int32Array, node: number) => list[node] ?? 0
  return graph.order.toSorted((a, b) => value(part, a) - value(part, b) || value(depth, a) - value(depth, b) || a - b)
}

function finishOrder(size: number, after: readonly (readonly number[])[]): number[] {
  const begun = new Uint8Array(size)
  const finished: number[] = []
  for (let start = size - 1; start >= 0; start--) {
    if (begun[start] === 1) continue
    begun[start] = 1
    const path = [{ node: start, next: 0 }]
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const other = after[step.node]?.[step.next++]
      if (other === undefined) {
        finished.push(step.node)
        path.pop()
      } else if (begun[other] === 0) {
        begun[other] = 1
        path.push({ node: other, next: 0 })
      }
    }
  }
  return finished
}

function neighbours(size: number, pairs: readonly (readonly [number, number])[]): number[][] {
  const found = Array.from({ length: size }, (): Set<number> => new Set())
  for (const [from, to] of pairs) found[from]?.add(to)
  return found.map((set) => [...set])
}
