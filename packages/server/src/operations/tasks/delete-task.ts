import { tasks } from "@chorus/contracts"
import { operation } from "../../operation.ts"
import { dropAttached } from "../attachments/drop-attached.ts"
import { announceDependents, dependentsOf, endWork } from "./task-step.ts"
import { findTask } from "./task-record.ts"

export const deleteTask = operation(tasks.deleteTask, async (context, { taskUuid }) => {
  const { db, emit } = context
  const task = await findTask(db, taskUuid)
  const dependents = await dependentsOf(context, taskUuid)
  await endWork(context, task, "task_deleted")
  // Edges go while both ends still stand, so that the counts of open dependencies come out right.
  await db
    .deleteFrom("taskEdges")
    .where(({ or, eb }) => or([eb("taskUuid", "=", taskUuid), eb("dependsOnUuid", "=", taskUuid)]))
    .execute()
  // What was spent stays spent.
  await db.updateTable("usages").set({ taskUuid: null }).where("taskUuid", "=", taskUuid).execute()
  await dropAttached(db, [taskUuid])
  await db.deleteFrom("tasks").where("uuid", "=", taskUuid).execute()
  // Its plan is named, since nobody can look it up any more: the ideas behind it may stand elsewhere now.
  const patch = { title: task.title, proposalUuid: task.proposalUuid }
  emit({
    kind: "task.deleted",
    entityType: "task",
    entityUuid: taskUuid,
    projectUuid: task.projectUuid,
    action: "deleted",
    patch,
  })
  await announceDependents(context, dependents)
  return { uuid: taskUuid, deleted: true as const }
})
