import { Handle, type Node, type NodeProps, Position } from "@xyflow/react"
import { memo } from "react"
import { Avatar, classes, StatusIcon } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { columnOf, COLUMNS } from "../board/columns.ts"
import type { GraphNode } from "./graph.ts"

export type TaskFlowNode = Node<
  {
    readonly task: GraphNode
    readonly blockers: readonly GraphNode[]
    readonly critical: boolean
    readonly dim: boolean
  },
  "task"
>

export const TaskNode = memo(function TaskNode({ data, selected }: NodeProps<TaskFlowNode>) {
  const text = useText()
  const { task, blockers, critical, dim } = data
  const waits = blockers.length > 0 && (task.status === "open" || task.status === "assigned")
  const ready = !waits && task.status === "open"
  return (
    <div
      title={waits ? text("graph.blocked", { names: blockers.map(({ title }) => title).join(", ") }) : undefined}
      className={classes(
        "flex h-[68px] w-[220px] flex-col justify-center rounded-lg border bg-raised px-3 shadow-(--shadow-card) transition-opacity duration-150",
        selected ? "border-accent ring-2 ring-accent" : critical ? "border-ink" : "border-line-strong",
        dim && "opacity-30",
      )}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} className="opacity-0" />
      <div className="flex items-start gap-2">
        <StatusIcon tone={toneOf(task)} className="mt-0.5" />
        <span className="line-clamp-2 min-w-0 flex-1 text-sm leading-snug font-medium">{task.title}</span>
        {task.assignee !== null && <Avatar actor={task.assignee} size="sm" />}
      </div>
      {(waits || ready) && (
        <p className="mt-0.5 truncate pl-5.5 text-xs text-faint">
          {waits ? text("board.blocked", { count: blockers.length }) : text("graph.ready")}
        </p>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} className="opacity-0" />
    </div>
  )
})

export function toneOf({ status }: Pick<GraphNode, "status">) {
  return COLUMNS.find(({ id }) => id === columnOf(status))?.tone ?? "todo"
}
