import { Link } from "@tanstack/react-router"
import { Maximize2, X } from "lucide-react"
import { useState } from "react"
import { Button, IconButton, Problem, SkeletonRows } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { ShortId } from "../projects/ShortId.tsx"
import { EditTask } from "./EditTask.tsx"
import { TaskActions } from "./TaskActions.tsx"
import { TaskView, useTask } from "./TaskView.tsx"

interface TaskPanelProps {
  readonly taskUuid: string
  onClose(): void
}

/** A task beside the board it was opened from. */
export function TaskPanel({ taskUuid, onClose }: TaskPanelProps) {
  const text = useText()
  const { answer: task, status, error, reload } = useTask(taskUuid)
  const [editing, setEditing] = useState(false)
  return (
    <div data-task={taskUuid} className="flex min-h-0 flex-1 flex-col">
      <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-1.5">
        {task !== undefined && <TaskActions task={task} onEdit={() => setEditing(true)} onDeleted={onClose} />}
        <span className="ml-auto flex">
          {task !== undefined && (
            <Button asChild tone="ghost" size="sm">
              <Link
                to="/projects/$projectUuid/tasks/$taskUuid"
                params={{ projectUuid: task.projectUuid, taskUuid }}
                aria-label={text("tasks.openPage")}
                title={text("tasks.openPage")}
              >
                <Maximize2 aria-hidden className="size-4" />
              </Link>
            </Button>
          )}
          <IconButton icon={X} size="sm" label={text("action.close")} onClick={onClose} />
        </span>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4 md:p-6">
        {status === "loading" && <SkeletonRows />}
        {status === "failed" && <Problem error={error} onRetry={reload} />}
        {task !== undefined && (
          <>
            <ShortId shortId={task.shortId} />
            <h2 className="mb-4 text-xl font-semibold break-words">
              <InlineCode text={task.title} />
            </h2>
            <TaskView task={task} />
          </>
        )}
      </div>
      {editing && task !== undefined && <EditTask task={task} onClose={() => setEditing(false)} />}
    </div>
  )
}
