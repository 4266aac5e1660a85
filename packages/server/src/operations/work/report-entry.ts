import type { OperationContext } from "../../operation.ts"
import { commentRow } from "../comments/comment-row.ts"
import type { TaskRecord } from "../tasks/task-row.ts"

const PREVIEW_LENGTH = 280

/** Keeps a report on the task, and as a comment in its conversation, where people read and answer it. */
export async function addReport(context: OperationContext, task: TaskRecord, content: string, sessionUuid: string | null): Promise<string> {
  const { db, actor, now, newId, emit } = context
  const uuid = newId()
  const commentUuid = await addComment(context, task, content)
  await db
    .insertInto("workReports")
    .values({ uuid, taskUuid: task.uuid, sessionUuid, content, authorType: actor.type, authorUuid: actor.uuid, commentUuid, createdAt: now })
    .execute()
  const patch = { reportUuid: uuid, commentUuid, sessionUuid, title: task.title, preview: content.slice(0, PREVIEW_LENGTH) }
  emit({ kind: "task.reported", entityType: "task", entityUuid: task.uuid, projectUuid: task.projectUuid, action: "updated", patch })
  return uuid
}

async function addComment({ db, actor, now, newId, emit }: OperationContext, task: TaskRecord, content: string): Promise<string> {
  const record = await db
    .insertInto("comments")
    .values({
      uuid: newId(),
      projectUuid: task.projectUuid,
      targetType: "task",
      targetUuid: task.uuid,
      parentUuid: null,
      content,
      authorType: actor.type,
      authorUuid: actor.uuid,
      createdAt: now,
      editedAt: null,
      deletedAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const patch = await commentRow(db, record)
  emit({ kind: "comment.added", entityType: "comment", entityUuid: record.uuid, projectUuid: task.projectUuid, action: "created", patch })
  return record.uuid
}
