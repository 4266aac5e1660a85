import type { OperationContext } from "../../operation.ts"
import type { TaskRecord } from "../tasks/task-row.ts"

const PREVIEW_LENGTH = 280

export async function addReport({ db, actor, now, newId, emit }: OperationContext, task: TaskRecord, content: string, sessionUuid: string | null): Promise<string> {
  const uuid = newId()
  await db.insertInto("workReports").values({ uuid, taskUuid: task.uuid, sessionUuid, content, authorType: actor.type, authorUuid: actor.uuid, createdAt: now }).execute()
  const patch = { reportUuid: uuid, sessionUuid, title: task.title, preview: content.slice(0, PREVIEW_LENGTH) }
  emit({ kind: "task.reported", entityType: "task", entityUuid: task.uuid, projectUuid: task.projectUuid, action: "updated", patch })
  return uuid
}
