import { edgeKey, type LayoutEdge } from "./layout.ts"
import type { Place } from "./measures.ts"

const CORNER = 6
const [LONG, WIDE] = [9, 4]

export type LineKind = "dim" | "plain" | "critical"
/** Some tasks, by their uuids. */
export type Some = ReadonlySet<string>

/** The corners of all lines, by how they are to be drawn. */
export function linesByKind(
  edges: readonly LayoutEdge[],
  routes: ReadonlyMap<string, readonly Place[]>,
  { critical, chain }: { readonly critical: Some; readonly chain: Some | undefined },
): ReadonlyMap<LineKind, (readonly Place[])[]> {
  const both = (set: Some, { taskUuid, dependsOnUuid }: LayoutEdge) => set.has(taskUuid) && set.has(dependsOnUuid)
  const kinds = new Map<LineKind, (readonly Place[])[]>()
  for (const edge of edges) {
    const points = routes.get(edgeKey(edge))
    if (points === undefined || points.length < 2) continue
    const dim = chain !== undefined && !both(chain, edge)
    const kind = dim ? "dim" : both(critical, edge) ? "critical" : "plain"
    const known = kinds.get(kind)
    if (known === undefined) kinds.set(kind, [points])
    else known.push(points)
  }
  return kinds
}

/** A line with rounded corners, as SVG writes it. */
export function rounded(points: readonly Place[]): string {
  return points
    .map(({ x, y }, at) => {
      const [before, after] = [points[at - 1], points[at + 1]]
      if (before === undefined) return `M${x} ${y}`
      if (after === undefined) return `L${x} ${y}`
      const near = (to: Place) => {
        const length = Math.hypot(to.x - x, to.y - y)
        const step = Math.min(CORNER, length / 2) / (length || 1)
        return `${x + (to.x - x) * step} ${y + (to.y - y) * step}`
      }
      return `L${near(before)}Q${x} ${y} ${near(after)}`
    })
    .join("")
}

export function arrow(points: readonly Place[]): string {
  const [from, tip] = [points.at(-2), points.at(-1)]
  if (from === undefined || tip === undefined) return ""
  const back = Math.sign(from.x - tip.x) * LONG
  return `M${tip.x} ${tip.y}l${back} ${-WIDE}v${2 * WIDE}z`
}

/** The line that passes closest to a point, if one does within reach. */
export function lineAt(
  edges: readonly LayoutEdge[],
  routes: ReadonlyMap<string, readonly Place[]>,
  at: Place,
  reach: number,
): LayoutEdge | undefined {
  let nearest: LayoutEdge | undefined
  let least = reach
  for (const edge of edges) {
    const points = routes.get(edgeKey(edge)) ?? []
    for (const [n, to] of points.entries()) {
      const from = points[n - 1]
      const away = from === undefined ? Infinity : distance(at, from, to)
      if (away >= least) continue
      least = away
      nearest = edge
    }
  }
  return nearest
}

function distance(at: Place, from: Place, to: Place): number {
  const [x, y] = [to.x - from.x, to.y - from.y]
  const along = ((at.x - from.x) * x + (at.y - from.y) * y) / (x * x + y * y || 1)
  const part = Math.max(0, Math.min(1, along))
  return Math.hypot(at.x - from.x - part * x, at.y - from.y - part * y)
}
