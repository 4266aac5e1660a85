import { memo } from "react"
import type { Layout, LayoutEdge } from "./layout.ts"
import { arrow, linesByKind, rounded, type Some } from "./lines.ts"
import type { Place } from "./measures.ts"

interface GraphLinesProps {
  readonly edges: readonly LayoutEdge[]
  readonly routes: Layout["routes"]
  readonly critical: Some
  /** What is lit up while the rest is dim. */
  readonly chain: Some | undefined
}

/** One line brought to the fore. */
export function GraphLine({ points = [] }: { readonly points: readonly Place[] | undefined }) {
  if (points.length < 2) return null
  return (
    <svg aria-hidden className="pointer-events-none absolute overflow-visible text-accent" width="1" height="1">
      <path d={rounded(points)} fill="none" stroke="currentColor" strokeWidth={3} />
      <path d={arrow(points)} fill="currentColor" />
    </svg>
  )
}

const KINDS = ["dim", "plain", "critical"] as const

/** All lines as a few paths: thousands of elements would cost more than everything else. */
export const GraphLines = memo(function GraphLines({ edges, routes, critical, chain }: GraphLinesProps) {
  const kinds = linesByKind(edges, routes, { critical, chain })
  return (
    <svg aria-hidden className="pointer-events-none absolute overflow-visible" width="1" height="1">
      {KINDS.map((kind) => ({ kind, lines: kinds.get(kind) ?? [] })).map(({ kind, lines }) => (
        <g
          key={kind}
          data-lines={kind}
          data-count={lines.length}
          opacity={kind === "dim" ? 0.2 : 1}
          className={kind === "critical" ? "text-ink" : "text-faint"}
        >
          <path
            d={lines.map(rounded).join("")}
            fill="none"
            stroke="currentColor"
            strokeWidth={kind === "critical" ? 2 : 1.25}
          />
          <path d={lines.map(arrow).join("")} fill="currentColor" />
        </g>
      ))}
    </svg>
  )
})
