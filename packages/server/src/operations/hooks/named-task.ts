import type { OperationContext } from "../../operation.ts"
import { assertReach } from "../../reach.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const TAG = /chorus:task:([0-9a-f-]{36})/i
const MOST = 20

/** The task a text names: the one it tags, else the first id in it that is a task the caller may read. */
export async function namedTask(context: OperationContext, text: string): Promise<TaskRecord | undefined> {
  if (!context.actor.permissions.has("task:read")) return undefined
  const tagged = taggedTask(text)
  const ids = [
    ...(tagged === undefined ? [] : [tagged]),
    ...[...text.matchAll(UUID)].map((match) => match[0].toLowerCase()),
  ]
  for (const taskUuid of [...new Set(ids)].slice(0, MOST)) {
    const reached = await assertReach(context.db, context.actor, { taskUuid }).catch(() => [])
    if (reached.length > 0) return findTask(context.db, taskUuid)
  }
  return undefined
}

/** The id after `chorus:task:`. */
export function taggedTask(text: string): string | undefined {
  return TAG.exec(text)?.[1]?.toLowerCase()
}
