import type { Graph, GraphEdge } from "./columns.ts"
import { GAP, NODE_HEIGHT, NODE_WIDTH, type Place } from "./measures.ts"
import type { Item } from "./rows.ts"

const TRACK = 8
/** Between two columns: room for the lines that leave, and for the arrows that arrive. */
const [LEAVE, ARRIVE] = [18, 26]
const GUTTER = 72
const BESIDE = 8
const GUTTER_STEP = 24
/** Lines of two bands meet between them; a shift keeps them from lying on each other. */
const SHIFT = 4

/** The line of one bundle in one gap between columns: one upright piece, and what it joins on either side. */
interface Net {
  readonly bundle: number
  readonly left: Set<number>
  readonly right: Set<number>
  /** Heights on the left that belong to lanes, not to tasks. */
  readonly lanes: Set<number>
  /** Heights of tasks at which another line would lie on this one: it then leaves, or arrives, a little beside the middle. */
  readonly leaveBeside: Set<number>
  readonly arriveBeside: Set<number>
  /** Whether it goes on above or below the band. */
  up: boolean
  down: boolean
  track: number
}

interface Routed {
  readonly x: readonly number[]
  readonly y: readonly number[]
  /** For each edge, in its order. */
  readonly lines: readonly (readonly Place[])[]
  readonly width: number
  readonly height: number
  readonly gutters: readonly (readonly number[])[]
}

/** Places in the plane, and a line for each edge that touches no task but its own two. */
export function route(
  graph: Graph,
  columns: readonly number[],
  perBand: number,
  items: readonly Item[],
  before: readonly (readonly number[])[] = [],
): Routed {
  const bandOf = (node: number) => Math.floor((columns[node] ?? 0) / perBand)
  const localOf = (node: number) => (columns[node] ?? 0) % perBand
  const middleOf = (node: number) => items[node]?.y ?? 0
  const bands = columns.reduce((most, column) => Math.max(most, Math.floor(column / perBand) + 1), 0)
  const nets = new Nets(bands, perBand)
  const lanes = new Map(items.filter(({ lane }) => lane).map((item) => [`${item.node} ${item.column}`, item.y]))
  const yAt = (bundle: number, column: number, node: number) =>
    column === columns[node] ? middleOf(node) : (lanes.get(`${bundle} ${column}`) ?? 0)
  for (const { from, to, bundle } of graph.edges) {
    if (bandOf(from) !== bandOf(to)) {
      const out = nets.of(bandOf(from), localOf(from) + 1, bundle)
      out.left.add(middleOf(from))
      out.down = true
      const into = nets.of(bandOf(to), localOf(to), bundle)
      into.up = true
      into.right.add(middleOf(to))
      continue
    }
    for (let column = (columns[from] ?? 0) + 1; column <= (columns[to] ?? 0); column++) {
      // Within a band the gap left of a column has the column's own number; the first belongs to lines from above.
      const net = nets.of(bandOf(from), column % perBand, bundle)
      const left = yAt(bundle, column - 1, from)
      net.left.add(left)
      if (column - 1 > (columns[from] ?? 0)) net.lanes.add(left)
      net.right.add(yAt(bundle, column, to))
    }
  }
  const columnX = nets.settle(before)
  const x = columns.map((_, node) => columnX[bandOf(node)]?.[localOf(node)] ?? 0)
  const trackX = (band: number, gutter: number, bundle: number) =>
    (columnX[band]?.[gutter] ?? 0) - nets.fromRight(band, gutter, bundle)
  const between = corridors(graph, bandOf, {
    leave: ({ from, bundle }) => trackX(bandOf(from), localOf(from) + 1, bundle),
    arrive: ({ to, bundle }) => trackX(bandOf(to), localOf(to), bundle),
  })
  const tops: number[] = []
  let height = 0
  for (let band = 0; band < bands; band++) {
    tops.push(height)
    const bottom = items.reduce(
      (most, item) => (Math.floor(item.column / perBand) === band ? Math.max(most, item.y + NODE_HEIGHT / 2) : most),
      0,
    )
    between.setTop(band, height + bottom + GAP)
    height += bottom + (band === bands - 1 ? 0 : between.height(band))
  }
  const top = (node: number) => tops[bandOf(node)] ?? 0
  const lines = graph.edges.map((edge) => {
    const line = bandOf(edge.from) === bandOf(edge.to) ? inBand(edge) : acrossBands(edge)
    return edge.turned ? line.toReversed() : line
  })
  const width = x.reduce((most, left) => Math.max(most, left + NODE_WIDTH), 0)
  return {
    x,
    y: columns.map((_, node) => top(node) + middleOf(node) - NODE_HEIGHT / 2),
    lines,
    width,
    height,
    gutters: nets.widths,
  }

  function inBand({ from, to, bundle }: GraphEdge): Place[] {
    const line = leaving(from, bundle)
    for (let column = (columns[from] ?? 0) + 1; column < (columns[to] ?? 0); column++)
      line.upright(trackX(bandOf(from), column % perBand, bundle), top(from) + yAt(bundle, column, to))
    return arriving(line, to, bundle)
  }

  function leaving(node: number, bundle: number): Line {
    const { leaveBeside } = nets.of(bandOf(node), localOf(node) + 1, bundle)
    const beside = leaveBeside.has(middleOf(node)) ? BESIDE : 0
    return new Line((x[node] ?? 0) + NODE_WIDTH, top(node) + middleOf(node) + beside)
  }

  function arriving(line: Line, node: number, bundle: number): Place[] {
    const { arriveBeside } = nets.of(bandOf(node), localOf(node), bundle)
    const beside = arriveBeside.has(middleOf(node)) ? BESIDE : 0
    line.upright(trackX(bandOf(node), localOf(node), bundle), top(node) + middleOf(node) - beside)
    return line.end(x[node] ?? 0)
  }

  function acrossBands({ from, to, bundle }: GraphEdge): Place[] {
    const [first, last] = [bandOf(from), bandOf(to) - 1]
    const line = leaving(from, bundle)
    line.upright(trackX(first, localOf(from) + 1, bundle), between.y(first, bundle))
    if (last > first) line.upright(between.marginX(bundle), between.y(last, bundle))
    return arriving(line, to, bundle)
  }
}

/** Corners of a line that only runs level and upright. */
class Line {
  readonly #points: Place[]

  constructor(x: number, y: number) {
    this.#points = [{ x, y }]
  }

  /** Level to there, then upright to that height. */
  upright(x: number, y: number): void {
    const from = this.#points.at(-1)?.y ?? 0
    if (from === y) return
    this.#points.push({ x, y: from }, { x, y })
  }

  end(x: number): Place[] {
    return [...this.#points, { x, y: this.#points.at(-1)?.y ?? 0 }]
  }
}

/** All gaps between columns: which lines run in them, on which track, and how wide that makes them. */
class Nets {
  readonly #gutters: Map<number, Net>[][]
  readonly widths: number[][] = []

  constructor(bands: number, perBand: number) {
    this.#gutters = Array.from({ length: bands }, () =>
      Array.from({ length: perBand + 1 }, () => new Map<number, Net>()),
    )
  }

  of(band: number, gutter: number, bundle: number): Net {
    const nets = this.#gutters[band]?.[gutter]
    const found = nets?.get(bundle)
    if (found !== undefined) return found
    const net: Net = {
      bundle,
      left: new Set(),
      right: new Set(),
      lanes: new Set(),
      leaveBeside: new Set(),
      arriveBeside: new Set(),
      up: false,
      down: false,
      track: 0,
    }
    nets?.set(bundle, net)
    return net
  }

  /** Chooses the tracks; answers where each column of each band begins. */
  settle(before: readonly (readonly number[])[]): number[][] {
    return this.#gutters.map((gutters, band) => {
      const widths = gutters.map((nets, gutter) => {
        const tracks = chooseTracks([...nets.values()])
        const least = before[band]?.[gutter] ?? 0
        if (gutter === 0 && tracks === 0) return least
        const needed = LEAVE + ARRIVE + tracks * TRACK + SHIFT
        return Math.max(least, GUTTER + Math.max(0, Math.ceil((needed - GUTTER) / GUTTER_STEP)) * GUTTER_STEP)
      })
      this.widths[band] = widths
      let x = 0
      return widths.map((width, gutter) => (x += width + (gutter === 0 ? 0 : NODE_WIDTH)))
    })
  }

  /** How far left of the column that follows the upright piece stands. */
  fromRight(band: number, gutter: number, bundle: number): number {
    const track = this.#gutters[band]?.[gutter]?.get(bundle)?.track ?? 0
    return (this.widths[band]?.[gutter] ?? GUTTER) - LEAVE - track * TRACK - (band % 2) * SHIFT
  }
}

/** As few tracks as there are lines side by side; answers how many. */
function chooseTracks(nets: readonly Net[]): number {
  const bent = nets.filter(isBent).toSorted(fewerCrossings)
  const tracks: Net[][] = []
  for (const net of bent) {
    // Where one leaves at the height at which another arrives, it has to turn off before.
    const least = tracks.findLastIndex((track) => track.some((other) => meets(other, net))) + 1
    const first = tracks.findIndex((track) => track.some((other) => meets(net, other)))
    const most = first === -1 ? tracks.length : first
    const fits = tracks.findIndex(
      (track, at) => at >= least && at < most && track.every((other) => !overlap(net, other)),
    )
    if (fits === -1) tracks.splice(Math.max(least, most), 0, [net])
    else tracks[fits]?.push(net)
  }
  tracks.forEach((track, at) => track.forEach((net) => (net.track = at)))
  keepApart(bent)
  return tracks.length
}

/** What the order of tracks could not keep from lying on each other. */
function keepApart(nets: readonly Net[]): void {
  const arriving = new Map<number, Net[]>()
  for (const net of nets) for (const y of net.right) arriving.set(y, [...(arriving.get(y) ?? []), net])
  for (const net of nets)
    for (const y of net.left)
      for (const other of arriving.get(y) ?? []) {
        if (other === net || net.track < other.track) continue
        if (net.lanes.has(y)) other.arriveBeside.add(y)
        else net.leaveBeside.add(y)
      }
}

function isBent({ left, right, up, down }: Net): boolean {
  return up || down || left.size > 1 || right.size > 1 || [...left].some((y) => !right.has(y))
}

function meets(first: Net, second: Net): boolean {
  for (const y of first.left) for (const other of second.right) if (Math.abs(y - other) < 3) return true
  return false
}

function overlap(one: Net, other: Net): boolean {
  const [[from, to], [start, end]] = [span(one), span(other)]
  return to + TRACK / 2 >= start && end + TRACK / 2 >= from
}

/** Lines that go down turn off the earlier the lower they begin, and those that go up the earlier the higher. */
function fewerCrossings(one: Net, other: Net): number {
  const [a, b] = [bias(one), bias(other)]
  if (a !== b) return a - b
  return a * (mean(other.left) - mean(one.left)) || one.bundle - other.bundle
}

function bias(net: Net): 1 | -1 {
  return net.left.size === 0 || net.down || mean(net.right) >= mean(net.left) ? 1 : -1
}

function mean(values: ReadonlySet<number>): number {
  return values.size === 0 ? -1e9 : [...values].reduce((sum, value) => sum + value, 0) / values.size
}

function span({ left, right, up, down }: Net): readonly [number, number] {
  const ys = [...left, ...right]
  return [up ? Number.NEGATIVE_INFINITY : Math.min(...ys), down ? Number.POSITIVE_INFINITY : Math.max(...ys)]
}

interface Corridors {
  setTop(band: number, y: number): void
  height(band: number): number
  /** The height at which a bundle runs below a band. */
  y(band: number, bundle: number): number
  /** Where it runs left of everything, past the bands between. */
  marginX(bundle: number): number
}

/** The ways between bands, and past them on the left. */
function corridors(
  graph: Graph,
  bandOf: (node: number) => number,
  x: Readonly<Record<"leave" | "arrive", (edge: GraphEdge) => number>>,
): Corridors {
  const margins: Span[] = []
  const spans = new Map<string, Span>()
  const byBand: Span[][] = []
  const reach = (band: number, bundle: number, ...ends: number[]) => {
    const key = `${band} ${bundle}`
    const known = spans.get(key)
    const span = known ?? { bundle, from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY, track: 0 }
    if (known === undefined) {
      spans.set(key, span)
      ;(byBand[band] ??= []).push(span)
    }
    span.from = Math.min(span.from, ...ends)
    span.to = Math.max(span.to, ...ends)
  }
  const passing = new Map<number, Span>()
  for (const edge of graph.edges) {
    const [first, last] = [bandOf(edge.from), bandOf(edge.to) - 1]
    if (first > last) continue
    reach(first, edge.bundle, x.leave(edge))
    reach(last, edge.bundle, x.arrive(edge))
    if (first === last) continue
    for (const band of [first, last]) reach(band, edge.bundle, -GAP)
    const past = passing.get(edge.bundle)
    const span = {
      bundle: edge.bundle,
      from: Math.min(first, past?.from ?? first),
      to: Math.max(last, past?.to ?? last),
      track: 0,
    }
    passing.set(edge.bundle, span)
  }
  margins.push(...passing.values())
  const counts = byBand.map((each) => inTracks(each ?? []))
  inTracks(margins, 0)
  const tops: number[] = []
  return {
    setTop: (band, y) => void (tops[band] = y),
    height: (band) => 2 * GAP + (counts[band] ?? 0) * TRACK,
    y: (band, bundle) => (tops[band] ?? 0) + (spans.get(`${band} ${bundle}`)?.track ?? 0) * TRACK,
    marginX: (bundle) => -GAP - (passing.get(bundle)?.track ?? 0) * TRACK,
  }
}

interface Span {
  readonly bundle: number
  from: number
  to: number
  track: number
}

function inTracks(spans: readonly Span[], apart = TRACK): number {
  const ends: number[] = []
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const free = ends.findIndex((end) => end + apart < span.from)
    span.track = free === -1 ? ends.length : free
    ends[span.track] = span.to
  }
  return ends.length
}
