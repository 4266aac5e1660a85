import type { Actor, OperationContext } from "../../operation.ts"

interface FocusedProject {
  readonly uuid: string
  readonly name: string
}

/** The active projects the caller can reach, narrowed to those it asked about. */
export async function focusedProjects({
  db,
  actor,
  focus,
}: Pick<OperationContext, "db" | "focus"> & { actor: Actor }): Promise<FocusedProject[]> {
  let projects = db
    .selectFrom("projects")
    .select(["uuid", "name"])
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("status", "=", "active")
  if (actor.projectUuids !== null) projects = projects.where("uuid", "in", [...actor.projectUuids])
  if (focus?.groupUuid !== undefined) projects = projects.where("groupUuid", "=", focus.groupUuid)
  else if (focus !== undefined) projects = projects.where("uuid", "in", focus.projectUuids)
  return projects.orderBy("updatedAt", "desc").orderBy("uuid").execute()
}
