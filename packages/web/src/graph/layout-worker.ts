import { layout, type LayoutEdge, type Memory } from "./layout.ts"

export interface LayoutRequest {
  readonly id: number
  readonly uuids: readonly string[]
  readonly edges: readonly LayoutEdge[]
  readonly before: Memory | undefined
}

onmessage = ({ data }: MessageEvent<LayoutRequest>) => {
  postMessage({ id: data.id, layout: layout(data.uuids, data.edges, data.before) })
}
