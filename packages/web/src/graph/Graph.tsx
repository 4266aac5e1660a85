import {
  Background,
  type Connection,
  ControlButton,
  Controls,
  getViewportForBounds,
  type NodeChange,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  ViewportPortal,
} from "@xyflow/react"
import "@xyflow/react/dist/style.css"
import "./graph.css"
import { leadsTo } from "@chorus/core"
import { Maximize, Sparkles } from "lucide-react"
import { type MouseEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react"
import { Button, classes, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { chainOf } from "./graph.ts"
import { GraphLine, GraphLines } from "./GraphLines.tsx"
import { Blocks, GraphOverview } from "./GraphOverview.tsx"
import type { GraphItem } from "./item.ts"
import { edgeKey, type Layout, type LayoutEdge } from "./layout.ts"
import { LineButton } from "./LineButton.tsx"
import { lineAt } from "./lines.ts"
import { NODE_HEIGHT, NODE_WIDTH, type Place } from "./measures.ts"
import { type TaskFlowNode, TaskNode } from "./TaskNode.tsx"
import { useLayout } from "./use-layout.ts"

interface GraphProps {
  readonly label: string
  readonly items: readonly GraphItem[]
  readonly edges: readonly LayoutEdge[]
  /** By which a circle is known, where those that are drawn lead to and from what is folded. */
  readonly dependencies?: readonly LayoutEdge[]
  readonly chosen: string | undefined
  onChoose(uuid: string | undefined): void
  /** Where given, a dependency can be drawn from one task to the next. */
  onConnect?(edge: LayoutEdge): void
  /** Where given, a dependency can be taken away at its line. */
  onDisconnect?(edge: LayoutEdge): void
  /** Part of a longer page: as high as it needs, and the page goes on scrolling over it. */
  readonly embedded?: boolean
  /** Brought into view, once each time it is asked for. */
  readonly sought?: { readonly uuid: string } | undefined
  readonly children?: ReactNode
}

const NODE_TYPES = { task: TaskNode }
const [SMALLEST, LARGEST] = [0.03, 2]
/** Smaller than this a task is a block of colour, and there may be thousands of them. */
const FAR = 0.22
const TALLEST = 520
/** How far from a line, on the screen, a press is still meant for it. */
const REACH = 8
const NO_EDGE: LayoutEdge = { taskUuid: "", dependsOnUuid: "" }

export function Graph(props: GraphProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  )
}

function Canvas(props: GraphProps) {
  const { label, items, edges, dependencies = edges, chosen, onChoose, onConnect, onDisconnect } = props
  const { embedded = false, sought, children } = props
  const text = useText()
  const uuids = useMemo(() => items.map(({ uuid }) => uuid), [items])
  const { laid, tidy, untidy } = useLayout(uuids, edges)
  const far = useStore(({ transform }) => transform[2] < FAR)
  const flow = useReactFlow()
  const { fit, fitted } = useFit(laid, embedded)
  const { width } = useStore(({ width: across }) => ({ width: across }), sameWidth)
  const chain = useMemo(() => (chosen === undefined ? undefined : chainOf(chosen, edges)), [chosen, edges])
  const shown = useMemo(
    () => items.map((item) => (chain === undefined || chain.has(item.uuid) ? item : { ...item, dim: true })),
    [items, chain],
  )
  const critical = useMemo(
    () => new Set(items.filter((item) => item.critical === true).map(({ uuid }) => uuid)),
    [items],
  )
  const nodes = useMemo(() => {
    // Before the whole was fitted, thousands would be made at full size only to be thrown away.
    if (laid === undefined || far || !fitted) return []
    return shown.flatMap((item): TaskFlowNode[] => {
      const position = laid.places.get(item.uuid)
      if (position === undefined) return []
      const flat = { type: "task" as const, width: NODE_WIDTH, height: NODE_HEIGHT, ariaLabel: item.title }
      const data = { item, connectable: onConnect !== undefined && item.folded === undefined }
      return [{ id: item.uuid, position, selected: item.uuid === chosen, data, ...flat }]
    })
  }, [laid, shown, chosen, far, fitted, onConnect !== undefined])

  const reached = useRef<GraphProps["sought"]>(undefined)
  useEffect(() => {
    // It may be on its way from the worker still, and before the whole was fitted that would take the view away again.
    const place = sought === undefined || !fitted ? undefined : laid?.places.get(sought.uuid)
    if (place === undefined || sought === reached.current) return
    reached.current = sought
    void flow.setCenter(place.x + NODE_WIDTH / 2, place.y + NODE_HEIGHT / 2, { zoom: Math.max(0.8, flow.getZoom()) })
  }, [sought, laid, fitted])

  const real = useMemo(() => {
    const tasks = new Set(items.filter(({ folded }) => folded === undefined).map(({ uuid }) => uuid))
    return edges.filter(({ taskUuid, dependsOnUuid }) => tasks.has(taskUuid) && tasks.has(dependsOnUuid))
  }, [items, edges])
  const lineUnder = ({ clientX: x, clientY: y }: MouseEvent) =>
    laid === undefined || far || onDisconnect === undefined
      ? undefined
      : lineAt(real, laid.routes, flow.screenToFlowPosition({ x, y }), REACH / flow.getZoom())
  /** The line under the pointer, and the one that was pressed, where it was. */
  const [pointed, setPointed] = useState<LayoutEdge>()
  const [marked, setMarked] = useState<{ readonly edge: LayoutEdge; readonly at: Place }>()
  const line =
    marked !== undefined && chosen === undefined && laid?.routes.has(edgeKey(marked.edge)) ? marked : undefined

  const circle = (source: string, target: string) => leadsTo(dependencies, source, target)
  const connect = ({ source, target }: Connection) => onConnect?.({ taskUuid: target, dependsOnUuid: source })
  const pick = (event: MouseEvent) => {
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY })
    const hit = far && laid !== undefined ? uuids.find((uuid) => covers(laid, uuid, at)) : undefined
    onChoose(hit)
    const edge = lineUnder(event)
    const { left, top } = event.currentTarget.getBoundingClientRect()
    setMarked(edge && { edge, at: { x: event.clientX - left, y: event.clientY - top } })
  }
  return (
    <div
      role={embedded ? "group" : "region"}
      aria-label={label}
      aria-busy={laid === undefined}
      className={classes(
        "relative bg-canvas",
        embedded ? "overflow-hidden rounded-lg border border-line" : "min-h-0 flex-1",
      )}
      style={embedded ? { height: embeddedHeight(laid, width) } : undefined}
    >
      <ReactFlow
        nodes={nodes}
        edges={[]}
        nodeTypes={NODE_TYPES}
        onNodesChange={(changes) => onSelect(changes, chosen, onChoose)}
        onPaneClick={pick}
        onPaneMouseMove={(event) => setPointed(lineUnder(event))}
        onPaneMouseLeave={() => setPointed(undefined)}
        onMoveStart={() => setMarked(undefined)}
        className={classes(pointed !== undefined && "[&_.react-flow__pane]:cursor-pointer!")}
        onConnect={connect}
        onConnectEnd={(_, { fromNode, toNode, isValid, fromHandle }) => {
          if (isValid !== false || fromNode === null || toNode === null) return
          const [source, target] = fromHandle?.type === "target" ? [toNode.id, fromNode.id] : [fromNode.id, toNode.id]
          if (circle(source, target)) toastError(new Error(text("graph.circle")))
        }}
        isValidConnection={({ source, target }) => !circle(source, target)}
        nodesDraggable={false}
        nodesConnectable={onConnect !== undefined}
        deleteKeyCode={null}
        onlyRenderVisibleElements={items.length > 80}
        minZoom={SMALLEST}
        maxZoom={LARGEST}
        zoomOnScroll={!embedded}
        panOnScroll={false}
        preventScrolling={!embedded}
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={{
          "controls.zoomIn.ariaLabel": text("graph.zoomIn"),
          "controls.zoomOut.ariaLabel": text("graph.zoomOut"),
        }}
      >
        {!embedded && <Background gap={24} color="var(--line-strong)" />}
        <ViewportPortal>
          {laid !== undefined && (
            <>
              <GraphLines edges={edges} routes={laid.routes} critical={critical} chain={chain} />
              <GraphLine points={laid.routes.get(edgeKey(line?.edge ?? pointed ?? NO_EDGE))} />
              {far && (
                <svg aria-hidden className="pointer-events-none absolute overflow-visible" width="1" height="1">
                  <Blocks items={shown} laid={laid} />
                </svg>
              )}
            </>
          )}
        </ViewportPortal>
        <Controls showInteractive={false} showFitView={false} position="bottom-right">
          <ControlButton onClick={fit} aria-label={text("graph.fit")} title={text("graph.fit")}>
            <Maximize aria-hidden className="fill-none!" />
          </ControlButton>
        </Controls>
        {!embedded && laid !== undefined && (
          <Panel position="bottom-right" className="mr-14! hidden md:block">
            <GraphOverview items={shown} laid={laid} />
          </Panel>
        )}
        {untidy && (
          <Panel position="top-right">
            <Button size="sm" icon={Sparkles} onClick={tidy}>
              {text("graph.tidy")}
            </Button>
          </Panel>
        )}
        {children}
      </ReactFlow>
      {line !== undefined && (
        <LineButton
          {...line}
          items={items}
          onRemove={() => {
            setMarked(undefined)
            onDisconnect?.(line.edge)
          }}
          onLeave={() => setMarked(undefined)}
        />
      )}
    </div>
  )
}

/** Shows everything: when the first layout is there, after tidying up, and when asked to. */
function useFit(laid: Layout | undefined, embedded: boolean): { fit(): void; readonly fitted: boolean } {
  const { setViewport } = useReactFlow()
  const ready = useStore(({ width, height, panZoom }) => width > 0 && height > 0 && panZoom !== null)
  const size = useRef({ width: 0, height: 0 })
  const width = useStore((state) => state.width)
  const height = useStore((state) => state.height)
  size.current = { width, height }
  const fit = useCallback(() => {
    if (laid === undefined) return
    const bounds = { x: 0, y: 0, width: Math.max(1, laid.width), height: Math.max(1, laid.height) }
    // Clear of the legend and the buttons at the bottom.
    const padding = embedded
      ? ({ top: "16px", right: "56px", bottom: "16px", left: "16px" } as const)
      : ({ top: "56px", right: "32px", bottom: "80px", left: "32px" } as const)
    void setViewport(
      getViewportForBounds(bounds, size.current.width, size.current.height, SMALLEST, embedded ? 1 : 1.1, padding),
    )
  }, [laid, embedded, setViewport])
  const last = useRef<string>(undefined)
  const [fitted, setFitted] = useState(false)
  useEffect(() => {
    if (!ready || laid === undefined) return
    const key = embedded ? `${laid.memory.perBand} ${width} ${height}` : String(laid.memory.perBand)
    if (last.current === key) return
    last.current = key
    fit()
    setFitted(true)
  }, [ready, laid, fit, embedded, width, height])
  return { fit, fitted }
}

/** What the canvas selects by keys; what was chosen beside it is not to be heard of from here again. */
function onSelect(
  changes: readonly NodeChange<TaskFlowNode>[],
  chosen: string | undefined,
  onChoose: (uuid: string | undefined) => void,
): void {
  const selections = changes.filter((change) => change.type === "select")
  const picked = selections.find(({ selected }) => selected)
  if (picked !== undefined) onChoose(picked.id)
  else if (selections.some(({ id }) => id === chosen)) onChoose(undefined)
}

function covers(laid: Layout, uuid: string, at: { readonly x: number; readonly y: number }): boolean {
  const place = laid.places.get(uuid)
  if (place === undefined) return false
  return at.x >= place.x && at.x <= place.x + NODE_WIDTH && at.y >= place.y && at.y <= place.y + NODE_HEIGHT
}

function embeddedHeight(laid: Layout | undefined, width: number): number {
  if (laid === undefined || width === 0) return 240
  const zoom = Math.min(1, (width - 72) / Math.max(1, laid.width))
  return Math.round(Math.min(TALLEST, Math.max(112, laid.height * Math.max(zoom, 0.5) + 36)))
}

function sameWidth(one: { width: number }, other: { width: number }): boolean {
  return one.width === other.width
}
