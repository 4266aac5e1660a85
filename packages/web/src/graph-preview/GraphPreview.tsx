import { useLayoutEffect, useMemo, useRef, useState } from "react"
import { StatusIcon, type Tone } from "../design/index.ts"
import { layout, NODE_HEIGHT, NODE_WIDTH } from "../graph/layout.ts"

interface PreviewNode {
  readonly uuid: string
  readonly title: string
  readonly note?: string | undefined
  readonly tone: Tone
}

interface GraphPreviewProps {
  readonly label: string
  readonly nodes: readonly PreviewNode[]
  readonly edges: readonly { readonly taskUuid: string; readonly dependsOnUuid: string }[]
  onChoose?(uuid: string): void
}

/** Smaller than this nobody reads it; then it scrolls. */
const SMALLEST = 0.62
/** A high one is made this small to be seen whole. */
const LEGIBLE = 0.7
const TALLEST = 480
const PADDING = 16

/** What comes before what, to look at in passing: as large as there is room for, no zoom, no map. */
export function GraphPreview({ label, nodes, edges, onChoose }: GraphPreviewProps) {
  const shape = JSON.stringify([nodes.map(({ uuid }) => uuid), edges])
  const places = useMemo(
    () =>
      layout(
        nodes.map(({ uuid }) => uuid),
        edges,
      ),
    [shape],
  )
  const width = Math.max(...[...places.values()].map(({ x }) => x + NODE_WIDTH), 0) + 1
  const height = Math.max(...[...places.values()].map(({ y }) => y + NODE_HEIGHT), 0) + 1
  const frame = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(0)
  useLayoutEffect(() => {
    const { current } = frame
    if (current === null) return
    const watcher = new ResizeObserver(() => setRoom(current.clientWidth - 2 * PADDING))
    watcher.observe(current)
    return () => watcher.disconnect()
  }, [])
  const zoom =
    room <= 0 ? 1 : Math.min(1, Math.max(SMALLEST, Math.min(room / width, Math.max(LEGIBLE, TALLEST / height))))
  return (
    <div
      ref={frame}
      role="group"
      aria-label={label}
      tabIndex={0}
      className="max-h-128 overflow-auto rounded-lg border border-line bg-canvas"
      style={{ padding: PADDING }}
    >
      <div className="relative mx-auto" style={{ width, height, zoom }}>
        <svg aria-hidden width={width} height={height} className="absolute inset-0 text-line-strong">
          <defs>
            <marker
              id="preview-arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0L8 4L0 8z" fill="currentColor" />
            </marker>
          </defs>
          {edges.map(({ taskUuid, dependsOnUuid }) => {
            const from = places.get(dependsOnUuid)
            const to = places.get(taskUuid)
            if (from === undefined || to === undefined) return null
            const [x1, y1, x2, y2] = [from.x + NODE_WIDTH, from.y + NODE_HEIGHT / 2, to.x, to.y + NODE_HEIGHT / 2]
            const bend = Math.max(24, (x2 - x1) / 2)
            return (
              <path
                key={dependsOnUuid + taskUuid}
                d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`}
                fill="none"
                stroke="currentColor"
                strokeWidth="1.5"
                markerEnd="url(#preview-arrow)"
              />
            )
          })}
        </svg>
        <ul>
          {nodes.map((node) => {
            const { x, y } = places.get(node.uuid) ?? { x: 0, y: 0 }
            return (
              <li
                key={node.uuid}
                className="absolute"
                style={{ left: x, top: y, width: NODE_WIDTH, height: NODE_HEIGHT }}
              >
                <button
                  type="button"
                  disabled={onChoose === undefined}
                  onClick={() => onChoose?.(node.uuid)}
                  className="flex size-full flex-col justify-center rounded-lg border border-line-strong bg-raised px-3 text-left shadow-(--shadow-card) enabled:cursor-pointer enabled:hover:border-accent"
                >
                  <span className="flex w-full items-start gap-2">
                    <StatusIcon tone={node.tone} className="mt-0.5" />
                    <span className="line-clamp-2 min-w-0 flex-1 text-sm leading-snug font-medium">{node.title}</span>
                  </span>
                  {node.note !== undefined && (
                    <span className="w-full truncate pl-5.5 text-xs text-faint">{node.note}</span>
                  )}
                </button>
              </li>
            )
          })}
        </ul>
      </div>
    </div>
  )
}
