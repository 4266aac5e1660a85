import { memo } from "react"
import type { LayoutEdge, Place } from "./layout.ts"
import { edgeKey } from "./layout.ts"

interface GraphLinesProps {
  readonly edges: readonly LayoutEdge[]
  readonly routes: ReadonlyMap<string, readonly Place[]>
  readonly critical: ReadonlySet<string>
  /** What is lit up while the rest is dim. */
  readonly chain: ReadonlySet<string> | undefined
}

const CORNER = 6
const [LONG, WIDE] = [9, 4]

/** All lines as a few paths: thousands of elements would cost more than everything else. */
export const GraphLines = memo(function GraphLines({ edges, routes, critical, chain }: GraphLinesProps) {
  const both = (set: ReadonlySet<string>, { taskUuid, dependsOnUuid }: LayoutEdge) =>
    set.has(taskUuid) && set.has(dependsOnUuid)
  const kinds = Map.groupBy(edges, (edge) => {
    if (chain !== undefined && !both(chain, edge)) return "dim"
    return both(critical, edge) ? "critical" : "plain"
  })
  return (
    <svg aria-hidden className="pointer-events-none absolute overflow-visible" width="1" height="1">
      {(["dim", "plain", "critical"] as const).map((kind) => {
        const lines = (kinds.get(kind) ?? []).flatMap((edge) => {
          const points = routes.get(edgeKey(edge))
          return points === undefined || points.length < 2 ? [] : [points]
        })
        const colour = kind === "critical" ? "var(--ink)" : "var(--faint)"
        return (
          <g key={kind} data-lines={kind} opacity={kind === "dim" ? 0.2 : 1} data-count={lines.length}>
            <path
              d={lines.map(rounded).join("")}
              fill="none"
              stroke={colour}
              strokeWidth={kind === "critical" ? 2 : 1.25}
            />
            <path d={lines.map(arrow).join("")} fill={colour} />
          </g>
        )
      })}
    </svg>
  )
})

function rounded(points: readonly Place[]): string {
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

function arrow(points: readonly Place[]): string {
  const [from, tip] = [points.at(-2), points.at(-1)]
  if (from === undefined || tip === undefined) return ""
  const back = Math.sign(from.x - tip.x) * LONG
  return `M${tip.x} ${tip.y}l${back} ${-WIDE}v${2 * WIDE}z`
}
