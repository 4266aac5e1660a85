import type { OutputOf, projects } from "@chorus/contracts"
import { followRows } from "../live/follow.ts"

type Answer = OutputOf<typeof projects.listProjects>

/** Keeps a list of active projects in step with the log. */
export const followProjects = followRows<Answer>({
  entity: "project",
  rows: "projects",
  belongs: ({ status }) => status === "active",
  extra: { _count: { ideas: 0, tasks: 0, openTasks: 0 } },
})
