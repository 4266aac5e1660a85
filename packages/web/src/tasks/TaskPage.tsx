import { isFinished } from "@chorus/core"
import { Link, useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { Page, Problem, SkeletonRows } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { ShortId } from "../projects/ShortId.tsx"
import { EditTask } from "./EditTask.tsx"
import { TaskActions } from "./TaskActions.tsx"
import { TaskView, useTask } from "./TaskView.tsx"

export function TaskPage() {
  const text = useText()
  const navigate = useNavigate()
  const { projectUuid, taskUuid } = useParams({ from: "/projects/$projectUuid/tasks/$taskUuid" })
  const { answer: task, status, error, reload } = useTask(taskUuid)
  const [editing, setEditing] = useState(false)
  const toBoard = () => void navigate({ to: "/projects/$projectUuid/board", params: { projectUuid } })
  return (
    <Page
      from={
        <Link to="/projects/$projectUuid/board" params={{ projectUuid }}>
          {text("nav.board")}
        </Link>
      }
      title={
        <>
          {task !== undefined && <ShortId shortId={task.shortId} />}
          <InlineCode text={task?.title ?? text("app.loading")} />
        </>
      }
      thumb={task !== undefined && !isFinished(task.status)}
      actions={task !== undefined && <TaskActions task={task} onEdit={() => setEditing(true)} onDeleted={toBoard} />}
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {task !== undefined && <TaskView task={task} aside />}
      {editing && task !== undefined && <EditTask task={task} onClose={() => setEditing(false)} />}
    </Page>
  )
}
