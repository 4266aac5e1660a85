import { useReactFlow, useStore } from "@xyflow/react"
import { memo, type PointerEvent } from "react"
import { useText } from "../i18n/language.ts"
import type { GraphItem } from "./item.ts"
import type { Layout } from "./layout.ts"
import { NODE_HEIGHT, NODE_WIDTH } from "./measures.ts"

const [WIDTH, HEIGHT] = [176, 112]

/** The whole at a glance, and where one is in it; a click or a drag goes there. */
export function GraphOverview({ items, laid }: { readonly items: readonly GraphItem[]; readonly laid: Layout }) {
  const text = useText()
  const { setCenter, getZoom } = useReactFlow()
  const [x, y, zoom] = useStore(({ transform }) => transform)
  const { width, height } = useStore(({ width: across, height: down }) => ({ width: across, height: down }), same)
  const scale = Math.min(WIDTH / (laid.width + 80), HEIGHT / (laid.height + 80))
  const go = (event: PointerEvent<SVGSVGElement>) => {
    if (event.buttons !== 1) return
    const box = event.currentTarget.getBoundingClientRect()
    const at = { x: (event.clientX - box.left) / scale - 40, y: (event.clientY - box.top) / scale - 40 }
    void setCenter(at.x, at.y, { zoom: getZoom() })
  }
  return (
    <svg
      role="img"
      aria-label={text("graph.map")}
      width={(laid.width + 80) * scale}
      height={(laid.height + 80) * scale}
      onPointerDown={go}
      onPointerMove={go}
      className="block cursor-pointer touch-none rounded-lg border border-line bg-raised shadow-(--shadow-card)"
    >
      <g transform={`scale(${scale}) translate(40 40)`}>
        <Blocks items={items} laid={laid} />
        <rect
          x={-x / zoom}
          y={-y / zoom}
          width={width / zoom}
          height={height / zoom}
          className="fill-accent/10 stroke-accent"
          strokeWidth={1.5 / scale}
        />
      </g>
    </svg>
  )
}

const FILLS = {
  todo: "fill-todo",
  progress: "fill-progress",
  waiting: "fill-waiting",
  done: "fill-done",
  failed: "fill-failed",
} as const

/** Every task as a block in the colour of where it stands: one path for each colour. */
export const Blocks = memo(function Blocks({
  items,
  laid,
}: {
  readonly items: readonly GraphItem[]
  readonly laid: Layout
}) {
  const tones = Map.groupBy(items, ({ tone, dim, closed }) => `${tone} ${dim === true || closed === true ? "dim" : ""}`)
  return [...tones].map(([key, group]) => (
    <path
      key={key}
      className={FILLS[group[0]?.tone ?? "todo"]}
      opacity={key.endsWith("dim") ? 0.25 : 1}
      d={group
        .flatMap(({ uuid }) => laid.places.get(uuid) ?? [])
        .map(({ x, y }) => `M${x} ${y}h${NODE_WIDTH}v${NODE_HEIGHT}h${-NODE_WIDTH}z`)
        .join("")}
    />
  ))
})

function same(one: { width: number; height: number }, other: { width: number; height: number }): boolean {
  return one.width === other.width && one.height === other.height
}
