import { isFinished } from "@chorus/core"
import type { LogEvent, OutputOf, projects } from "@chorus/contracts"
import { followAll, followRows, reloadWhen } from "../live/follow.ts"

type Answer = OutputOf<typeof projects.listProjects>

/** Keeps a list of active projects, and how much is in them, in step with the log. */
export const followProjects = followAll<Answer>(
  reloadWhen(changesCounts),
  followRows({
    entity: "project",
    rows: "projects",
    belongs: ({ status }) => status === "active",
    extra: { _count: { ideas: 0, tasks: 0, openTasks: 0 } },
  }),
)

/** Whether something came into a project, left it or was finished; an event that came twice would be counted twice. */
function changesCounts({ kind, entityType, action, patch }: LogEvent): boolean {
  if (entityType !== "idea" && entityType !== "task") return false
  if (action !== "updated" || kind === "task.reopened") return true
  return entityType === "task" && patch.status !== undefined && isFinished(patch.status)
}
