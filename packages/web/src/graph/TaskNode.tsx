import { Handle, type Node, type NodeProps, Position, useStore } from "@xyflow/react"
import { CircleSlash, Layers } from "lucide-react"
import { memo } from "react"
import { Avatar, classes, StatusIcon } from "../design/index.ts"
import type { GraphItem } from "./item.ts"

export type TaskFlowNode = Node<{ readonly item: GraphItem; readonly connectable: boolean }, "task">

/** From this zoom on the whole card is readable; below, only a title in larger letters. */
const READABLE = 0.62

export const TaskNode = memo(function TaskNode({ data, selected }: NodeProps<TaskFlowNode>) {
  const { item, connectable } = data
  const near = useStore(({ transform }) => transform[2] >= READABLE)
  return (
    <div
      title={item.hint ?? (near ? undefined : item.title)}
      className={classes(
        "group flex h-[68px] w-[220px] flex-col justify-center rounded-lg border bg-raised px-3 transition-opacity duration-150",
        selected ? "border-accent ring-2 ring-accent" : item.critical === true ? "border-ink" : "border-line-strong",
        item.folded === undefined
          ? "shadow-(--shadow-card)"
          : "shadow-[4px_4px_0_-1px_var(--raised),4px_4px_0_0_var(--line-strong)]",
        item.closed === true && "border-dashed bg-canvas",
        item.dim === true && "opacity-30",
      )}
    >
      <Handle type="target" position={Position.Left} isConnectable={connectable} className={handle(connectable)} />
      <div className="flex items-start gap-2">
        <Icon item={item} large={!near} />
        <span
          className={classes(
            "line-clamp-2 min-w-0 flex-1 font-medium break-words",
            near ? "text-sm leading-snug" : "text-[23px] leading-[27px]",
            item.closed === true && "text-faint line-through",
          )}
        >
          {near && item.id !== undefined && (
            <span className="mr-1.5 font-normal whitespace-nowrap text-faint">{item.id}</span>
          )}
          {item.title}
        </span>
        {near && item.assignee !== null && item.assignee !== undefined && <Avatar actor={item.assignee} size="sm" />}
      </div>
      {near && item.note !== undefined && <p className="mt-0.5 truncate pl-5.5 text-xs text-faint">{item.note}</p>}
      <Handle type="source" position={Position.Right} isConnectable={connectable} className={handle(connectable)} />
    </div>
  )
})

function Icon({ item, large }: { readonly item: GraphItem; readonly large: boolean }) {
  const size = large ? "mt-1 size-5" : "mt-0.5 size-3.5"
  const Sign = item.folded !== undefined ? Layers : item.closed === true ? CircleSlash : undefined
  return Sign === undefined ? (
    <StatusIcon tone={item.tone} className={size} />
  ) : (
    <Sign aria-hidden className={classes("shrink-0 text-faint", size)} />
  )
}

function handle(connectable: boolean): string {
  return connectable
    ? "size-3! border-2! border-raised! bg-accent! opacity-0 transition-opacity group-hover:opacity-100 group-focus-within:opacity-100 [.connecting_&]:opacity-100"
    : "opacity-0 pointer-events-none"
}
