import { ChorusError, type EventKind } from "@chorus/contracts"
import type { Reactor } from "./reactor.ts"

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
export const refuseArchived: Reactor = async ({ db }, events) => {
  const begun = events.filter(({ kind }) => BEGINNINGS.has(kind)).flatMap(({ projectUuid }) => projectUuid ?? [])
  if (begun.length === 0) return
  const archived = await db
    .selectFrom("projects")
    .select(["uuid", "name"])
    .where("uuid", "in", [...new Set(begun)])
    .where("status", "=", "archived")
    .executeTakeFirst()
  if (archived !== undefined) throw projectArchived(archived)
}

function projectArchived({ uuid, name }: { uuid: string; name: string }): ChorusError {
  return new ChorusError("project_archived", `"${name}" is archived: nothing new begins there.`, {
    status: 409,
    next: "Use another project, or have this one restored (its settings on the page, or chorus_update_project with status active).",
    details: { projectUuid: uuid },
  })
}
