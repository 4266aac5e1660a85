import { ChorusError, type EventKind } from "@chorus/contracts"
import type { Reactor } from "./reactor.ts"
import { findSubjects, type Subject } from "./subject.ts"

/** What begins something: a new idea or task, one that comes from elsewhere, or somebody taking one up. */
const BEGINNINGS: ReadonlySet<string> = new Set<EventKind>([
  "idea.created",
  "idea.claimed",
  "idea.assigned",
  "idea.moved",
  "task.created",
  "task.claimed",
  "task.assigned",
])

/** Nothing begins in an archived project, whichever way it came. */
export const refuseArchived: Reactor = async (context, events) => {
  const begun = await findSubjects(
    context,
    events.filter(({ kind }) => BEGINNINGS.has(kind)),
  )
  const archived = [...begun.values()].find(({ project }) => project?.status === "archived")
  if (archived !== undefined) throw projectArchived(archived)
}

function projectArchived({ projectUuid, project }: Subject): ChorusError {
  return new ChorusError("project_archived", `"${project?.name}" is archived: nothing new begins there.`, {
    status: 409,
    next: "Use another project, or have this one restored (its settings on the page, or chorus_update_project with status active).",
    details: { projectUuid },
  })
}
