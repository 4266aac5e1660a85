import { memo } from "react"
import type { Task } from "../board/columns.ts"
import { PriorityIcon } from "../board/PriorityIcon.tsx"
import { Avatar, StatusIcon } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { TASK_LABEL, TASK_TONE } from "../tasks/task-status.ts"
import { DueDay } from "./DueDay.tsx"
import { LabelChip } from "./LabelChip.tsx"
import type { SortBy } from "./table.ts"

/** What stands in a row, from left to right; the narrower the table, the fewer. */
export const CELLS: readonly { readonly by: SortBy; readonly className: string }[] = [
  { by: "id", className: "w-18 shrink-0 max-[899px]:hidden" },
  { by: "title", className: "min-w-0 flex-1" },
  { by: "state", className: "w-24 shrink-0 max-[899px]:hidden" },
  { by: "priority", className: "w-20 shrink-0 hidden @2xl:block" },
  { by: "assignee", className: "w-28 shrink-0 hidden @3xl:block" },
  { by: "labels", className: "w-44 shrink-0 hidden @4xl:block" },
  { by: "estimate", className: "w-18 shrink-0 hidden @6xl:block" },
  { by: "due", className: "w-26 shrink-0 max-[899px]:hidden" },
  { by: "updated", className: "w-24 shrink-0 hidden @7xl:block" },
]

/** The browser draws what is ticked; its own empty box is grey in the dark, unlike every other on the page. */
export const TICK =
  "size-4 cursor-pointer rounded-sm accent-(--accent) [&:not(:checked,:indeterminate)]:appearance-none [&:not(:checked,:indeterminate)]:border [&:not(:checked,:indeterminate)]:border-line-strong [&:not(:checked,:indeterminate)]:bg-surface"

interface TaskCellsProps {
  readonly task: Task
  readonly chosen: boolean
}

export const TaskCells = memo(function TaskCells({ task, chosen }: TaskCellsProps) {
  const text = useText()
  return (
    <>
      <span role="gridcell" data-choose className="-m-2 flex w-8 shrink-0 p-2">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={chosen}
          readOnly
          aria-label={text("items.chooseTask", { title: task.title })}
          className={TICK}
        />
      </span>
      {CELLS.map(({ by, className }) => (
        <span key={by} role="gridcell" className={className}>
          <Cell task={task} by={by} />
        </span>
      ))}
    </>
  )
})

function Cell({ task, by }: { readonly task: Task; readonly by: SortBy }) {
  const text = useText()
  const format = useFormat()
  if (by === "id") return <span className="text-xs text-faint tabular-nums">{task.shortId}</span>
  if (by === "title") return <Title task={task} />
  if (by === "state")
    return (
      <span className="flex items-center gap-1.5 text-muted">
        <StatusIcon tone={TASK_TONE[task.status]} className="size-3.5" />
        <span className="truncate">{text(TASK_LABEL[task.status])}</span>
      </span>
    )
  if (by === "priority")
    return (
      <span className="flex items-center gap-1.5 text-muted">
        <PriorityIcon priority={task.priority} />
        <span aria-hidden className="truncate">
          {text(`board.priority.${task.priority}`)}
        </span>
      </span>
    )
  if (by === "assignee")
    return (
      task.assignee !== null && (
        <span className="flex items-center gap-1.5 text-muted">
          <Avatar actor={task.assignee} size="sm" />
          <span className="truncate">{task.assignee.name}</span>
        </span>
      )
    )
  if (by === "labels")
    return (
      <span className="flex h-4.5 flex-wrap gap-1 overflow-hidden">
        {task.labels.map((name) => (
          <LabelChip key={name} name={name} />
        ))}
      </span>
    )
  if (by === "estimate")
    return (
      task.storyPoints !== null && (
        <span className="text-muted tabular-nums">{text("board.points", { count: task.storyPoints })}</span>
      )
    )
  if (by === "due")
    return (
      <span className="text-xs text-muted">
        <DueDay task={task} />
      </span>
    )
  return (
    <span className="text-xs whitespace-nowrap text-faint" title={format.dateTime(task.updatedAt)}>
      {format.ago(task.updatedAt)}
    </span>
  )
}

/** Where there is little room the row has a second line for what the other cells say elsewhere. */
function Title({ task }: { readonly task: Task }) {
  const text = useText()
  return (
    <span className="block min-w-0">
      <a
        href={`/projects/${task.projectUuid}/list?task=${task.uuid}`}
        tabIndex={-1}
        draggable={false}
        className="block truncate font-medium min-[900px]:font-normal"
      >
        <InlineCode text={task.title} />
      </a>
      <span className="flex items-center gap-2 overflow-hidden text-xs text-faint min-[900px]:hidden">
        <StatusIcon tone={TASK_TONE[task.status]} className="size-3 shrink-0" />
        <span className="whitespace-nowrap tabular-nums">{task.shortId}</span>
        <span className="sr-only">{text(TASK_LABEL[task.status])}</span>
        <PriorityIcon priority={task.priority} />
        <DueDay task={task} />
        {task.labels.slice(0, 2).map((name) => (
          <LabelChip key={name} name={name} />
        ))}
      </span>
    </span>
  )
}
