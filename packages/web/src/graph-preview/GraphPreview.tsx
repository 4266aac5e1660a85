import { useMemo, useState } from "react"
import { Graph } from "../graph/Graph.tsx"
import type { GraphItem } from "../graph/item.ts"
import type { LayoutEdge } from "../graph/layout.ts"

interface GraphPreviewProps {
  readonly label: string
  readonly nodes: readonly GraphItem[]
  readonly edges: readonly LayoutEdge[]
  onChoose?(uuid: string): void
}

/** What comes before what, as part of a longer page: the same graph, as high as it needs. */
export function GraphPreview({ label, nodes, edges, onChoose }: GraphPreviewProps) {
  const [chosen, setChosen] = useState<string>()
  const shape = JSON.stringify([nodes, edges])
  const [items, known] = useMemo(() => [nodes, edges], [shape])
  return (
    <Graph
      embedded
      label={label}
      items={items}
      edges={known}
      chosen={chosen}
      onChoose={(uuid) => {
        setChosen(uuid)
        if (uuid !== undefined) onChoose?.(uuid)
      }}
    />
  )
}
