import { Background, Controls, type Edge, MarkerType, MiniMap, type NodeChange, Panel, ReactFlow } from "@xyflow/react"
import "@xyflow/react/dist/style.css"
import "./graph.css"
import { useMemo, useState } from "react"
import { StatusIcon } from "../design/index.ts"
import { COLUMNS } from "../board/columns.ts"
import { useText } from "../i18n/language.ts"
import { chainOf, type GraphAnswer, type Relations } from "./graph.ts"
import { layout, NODE_HEIGHT, NODE_WIDTH } from "./layout.ts"
import { TaskFacts } from "./TaskFacts.tsx"
import { type TaskFlowNode, TaskNode, toneOf } from "./TaskNode.tsx"

interface GraphCanvasProps {
  readonly answer: GraphAnswer
  readonly facts: Relations
}

/** Clear of the legend and the buttons at the bottom. */
const FIT = { padding: { top: "32px", right: "32px", bottom: "80px", left: "32px" }, maxZoom: 1.1 } as const
const MAP_SIZE = { width: 168, height: 112 }
const NODE_TYPES = { task: TaskNode }

export function GraphCanvas({ answer, facts }: GraphCanvasProps) {
  const text = useText()
  const [chosen, setChosen] = useState<string>()
  const shape = `${answer.nodes.map(({ uuid }) => uuid).join()} ${answer.edges.map(({ taskUuid, dependsOnUuid }) => taskUuid + dependsOnUuid).join()}`
  const places = useMemo(
    () =>
      layout(
        answer.nodes.map(({ uuid }) => uuid),
        answer.edges,
      ),
    [shape],
  )
  const chain = useMemo(
    () => (chosen === undefined ? undefined : chainOf(chosen, answer.edges)),
    [chosen, answer.edges],
  )
  const nodes = useMemo(
    () =>
      answer.nodes.map((task): TaskFlowNode => ({
        id: task.uuid,
        type: "task",
        position: places.get(task.uuid) ?? { x: 0, y: 0 },
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        selected: task.uuid === chosen,
        ariaLabel: task.title,
        data: {
          task,
          blockers: facts.blockers.get(task.uuid) ?? [],
          critical: facts.critical.has(task.uuid),
          dim: chain !== undefined && !chain.has(task.uuid),
        },
      })),
    [answer.nodes, places, facts, chosen, chain],
  )
  const edges = useMemo(
    () =>
      answer.edges.map(({ taskUuid, dependsOnUuid }): Edge => {
        const critical = facts.critical.has(taskUuid) && facts.critical.has(dependsOnUuid)
        const dim = chain !== undefined && !(chain.has(taskUuid) && chain.has(dependsOnUuid))
        const colour = critical ? "var(--ink)" : "var(--line-strong)"
        return {
          id: `${dependsOnUuid} ${taskUuid}`,
          source: dependsOnUuid,
          target: taskUuid,
          focusable: false,
          style: { stroke: colour, strokeWidth: critical ? 2 : 1.25, opacity: dim ? 0.2 : 1 },
          markerEnd: { type: MarkerType.ArrowClosed, color: colour, width: 14, height: 14 },
        }
      }),
    [answer.edges, facts, chain],
  )
  const task = answer.nodes.find(({ uuid }) => uuid === chosen)
  return (
    <div
      className="relative min-h-0 flex-1 bg-canvas"
      role="region"
      aria-label={text("graph.canvas", { count: answer.nodes.length })}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onNodesChange={(changes) => setChosen((now) => chosenAfter(now, changes))}
        onNodeClick={(_, node) => setChosen(node.id)}
        onPaneClick={() => setChosen(undefined)}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements={answer.nodes.length > 150}
        minZoom={0.05}
        fitView
        fitViewOptions={FIT}
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={{
          "controls.zoomIn.ariaLabel": text("graph.zoomIn"),
          "controls.zoomOut.ariaLabel": text("graph.zoomOut"),
          "controls.fitView.ariaLabel": text("graph.fit"),
          "minimap.ariaLabel": text("graph.map"),
        }}
      >
        <Background gap={24} color="var(--line-strong)" />
        <Controls showInteractive={false} position="bottom-right" />
        <MiniMap
          pannable
          zoomable
          position="bottom-right"
          nodeColor={({ data }) => `var(--${toneOf(data["task"] as TaskFlowNode["data"]["task"])})`}
          maskColor="var(--overlay)"
          className="mr-14! hidden md:block"
          style={MAP_SIZE}
        />
        <Panel position="bottom-left">
          <Legend />
        </Panel>
      </ReactFlow>
      {task !== undefined && (
        <TaskFacts
          task={task}
          answer={answer}
          facts={facts}
          onChoose={setChosen}
          onClose={() => setChosen(undefined)}
        />
      )}
    </div>
  )
}

/** What the canvas selects by keys or pointer; what was chosen beside it is not to be heard of from here again. */
function chosenAfter(now: string | undefined, changes: readonly NodeChange<TaskFlowNode>[]): string | undefined {
  const selections = changes.filter((change) => change.type === "select")
  const picked = selections.find(({ selected }) => selected)
  if (picked !== undefined) return picked.id
  return selections.some(({ id }) => id === now) ? undefined : now
}

function Legend() {
  const text = useText()
  return (
    <ul
      aria-label={text("graph.legend")}
      className="hidden flex-wrap gap-x-3 gap-y-1 rounded-lg border border-line bg-raised px-3 py-1.5 sm:flex text-xs text-muted shadow-(--shadow-card)"
    >
      {COLUMNS.map(({ id, label, tone }) => (
        <li key={id} className="flex items-center gap-1.5">
          <StatusIcon tone={tone} className="size-3" />
          {text(label)}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <span aria-hidden className="h-0.5 w-4 bg-ink" />
        {text("graph.critical")}
      </li>
    </ul>
  )
}
