import type { OutputOf, projects } from "@chorus/contracts"
import type { Follow } from "../live/live-store.ts"

type Answer = OutputOf<typeof projects.listProjects>

/** Keeps a list of projects in step with the log. */
export const followProjects: Follow<Answer> = {
  apply(answer, event) {
    if (event.entityType !== "project") return answer
    if (event.action === "created") {
      const project = { _count: {}, ...event.patch } as Answer["projects"][number]
      return { ...answer, projects: [project, ...answer.projects], total: answer.total + 1 }
    }
    const projects = answer.projects.map((project) => (project.uuid === event.entityUuid ? { ...project, ...event.patch } : project))
    return { ...answer, projects: projects.filter(({ status }) => status === "active") }
  },
}
