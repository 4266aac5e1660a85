import { lazy, Suspense } from "react"
import { Badge, Nothing, Skeleton, type Tone } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import type { Team } from "./team.ts"

const GraphPreview = lazy(async () => ({ default: (await import("../graph-preview/GraphPreview.tsx")).GraphPreview }))

const TASK_TONES: Readonly<Record<string, Tone>> = { pending: "todo", in_progress: "progress", completed: "done" }

/** What the team works on, and what waits for what. */
export function TeamTasks({ team }: { readonly team: Team }) {
  const text = useText()
  const known = new Set(team.tasks.map(({ task }) => task.id))
  const edges = team.tasks.flatMap(({ task }) =>
    task.blockedBy.filter((id) => known.has(id)).map((dependsOnUuid) => ({ taskUuid: task.id, dependsOnUuid })),
  )
  const linked = team.tasks.filter(({ taskUuids }) => taskUuids.length > 0).length
  return team.tasks.length === 0 ? (
    <Nothing>{text("teams.noTasks")}</Nothing>
  ) : (
    <>
      <Suspense fallback={<Skeleton className="h-48 w-full rounded-lg" />}>
        <GraphPreview
          label={text("ideas.tasks")}
          nodes={team.tasks.map(({ task }) => ({
            uuid: task.id,
            title: task.subject,
            note: task.owner,
            tone: TASK_TONES[task.status] ?? "todo",
          }))}
          edges={edges}
        />
      </Suspense>
      {linked > 0 && (
        <p className="mt-2">
          <Badge>{text("teams.linked", { count: linked })}</Badge>
        </p>
      )}
    </>
  )
}
