import type { OperationContext } from "../../operation.ts"
import { writeComment } from "../comments/comment-record.ts"
import type { TaskRecord } from "../tasks/task-record.ts"

const PREVIEW_LENGTH = 280

/** Keeps a report on the task, and as a comment in its conversation, where people read and answer it. */
export async function addReport(
  context: OperationContext,
  task: TaskRecord,
  content: string,
  sessionUuid: string | null,
  to?: "dependents",
): Promise<string> {
  const { db, actor, now, newId, emit } = context
  const uuid = newId()
  const { uuid: commentUuid } = await writeComment(context, {
    projectUuid: task.projectUuid,
    targetType: "task",
    targetUuid: task.uuid,
    parentUuid: null,
    content,
  })
  await db
    .insertInto("workReports")
    .values({
      uuid,
      taskUuid: task.uuid,
      sessionUuid,
      content,
      authorType: actor.type,
      authorUuid: actor.uuid,
      commentUuid,
      createdAt: now,
    })
    .execute()
  const patch = {
    reportUuid: uuid,
    commentUuid,
    sessionUuid,
    title: task.title,
    preview: content.slice(0, PREVIEW_LENGTH),
    ...(to === undefined ? {} : { to }),
  }
  emit({
    kind: "task.reported",
    entityType: "task",
    entityUuid: task.uuid,
    projectUuid: task.projectUuid,
    action: "updated",
    patch,
  })
  return uuid
}
