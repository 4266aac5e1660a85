import type { OutputOf, projects } from "@chorus/contracts"
import { followRows } from "../live/follow.ts"

type Answer = OutputOf<typeof projects.listProjects>

/** Keeps a list of active projects in step with the log. */
export const followProjects = followRows<Answer, Answer["projects"][number]>({
  entityType: "project",
  rowsOf: ({ projects }) => projects,
  withRows: (answer, rows) => ({
    ...answer,
    projects: [...rows],
    total: answer.total + rows.length - answer.projects.length,
  }),
  belongs: ({ status }) => status === "active",
  defaults: { _count: { ideas: 0, tasks: 0, openTasks: 0 } },
})
