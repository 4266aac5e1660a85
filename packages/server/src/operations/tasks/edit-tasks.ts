import { type ParsedInputOf, taskEdits } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { attempt } from "../../attempt.ts"
import { forbidden, namesOf, notFound, operation, type OperationContext } from "../../operation.ts"
import { labelsIn } from "../labels/labels.ts"
import { moveTo } from "../task-work/work.ts"
import { assignTo, release } from "./task-life.ts"
import { findTask, type TaskRecord, taskRow } from "./task-record.ts"
import { rewriteTask } from "./update-task.ts"

type Input = ParsedInputOf<typeof taskEdits.editTasks>

export const editTasks = operation(taskEdits.editTasks, async (context, input) => {
  const { db, actor } = context
  if (!actor.permissions.has("task:write"))
    throw forbidden("Changing tasks needs task:write.", "Ask somebody who runs this workspace for another role.")
  // Two changes of many would otherwise wait for each other's rows.
  await lock(context, `edit-tasks:${input.projectUuid}`)
  const records = await db
    .selectFrom("tasks")
    .selectAll()
    .where("projectUuid", "=", input.projectUuid)
    .where("uuid", "in", input.taskUuids)
    .execute()
  const byUuid = new Map(records.map((record) => [record.uuid, record]))
  const nameOf = await namesOf(db, new Set(records.map(({ assigneeUuid }) => assigneeUuid)))
  const results = []
  for (const uuid of new Set<string>(input.taskUuids)) {
    const task = byUuid.get(uuid)
    if (task === undefined) throw notFound("task", uuid)
    const { title, status, priority, storyPoints, labels, dueOn, assignee } = taskRow(task, nameOf)
    const before = { status, priority, storyPoints, labels, dueOn, assignee }
    results.push({ uuid, title, before, ...(await wholly(context, (own) => edit(own, task, input))) })
  }
  return { results, changed: results.filter(({ changed }) => changed).length }
})

async function edit(context: OperationContext, task: TaskRecord, input: Input): Promise<void> {
  const { addLabels = [], removeLabels = [], priority, storyPoints, dueOn, agentUuid, userUuid, status } = input
  const gone = new Set(removeLabels.map((name) => name.toLowerCase()))
  const kept = labelsIn(task.labels).filter((name) => !gone.has(name.toLowerCase()))
  const labels = addLabels.length + removeLabels.length === 0 ? undefined : [...kept, ...addLabels]
  await rewriteTask(context, task.uuid, { priority, storyPoints, dueOn, labels })
  const now = () => findTask(context.db, task.uuid)
  if (agentUuid !== undefined) await assignTo(context, await now(), { type: "agent", uuid: agentUuid })
  if (userUuid !== undefined) await assignTo(context, await now(), { type: "user", uuid: userUuid })
  if (input.release === true && task.assigneeUuid !== null) await release(context, await now())
  if (status !== undefined) await moveTo(context, await now(), status)
}

/** One of many changes: the others go on although this one is refused. */
async function wholly(
  context: OperationContext,
  change: (own: OperationContext) => Promise<void>,
): Promise<{ changed: boolean; problem?: { code: string; message: string } }> {
  const { refused } = await attempt(context, change)
  return refused === undefined
    ? { changed: true }
    : { changed: false, problem: { code: refused.code, message: refused.message } }
}
