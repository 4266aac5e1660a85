import type { TaskId } from "@chorus/contracts"
import { isFinished } from "@chorus/core"
import type { OperationContext } from "../../operation.ts"
import { askPeople } from "../attentions/attentions.ts"
import { noticeId } from "../attentions/attention-row.ts"
import { findTask } from "../tasks/task-record.ts"
import type { ShownRun } from "./run-select.ts"

/**
 * A task whose run has ended without handing it in stands still until a person decides how it goes on. Whoever stopped
 * the run knows, and where the agent has asked something its question is what waits.
 */
export async function tellEnded(context: OperationContext, run: ShownRun): Promise<void> {
  const { uuid: runUuid, work, taskUuid, state, stoppedFor, agentUuid, machineName, reason } = run
  if (work !== "build" || taskUuid === null || (state === "stopped" && stoppedFor === null)) return
  const task = await findTask(context.db, taskUuid)
  const isHeld = task.status === "in_progress" && task.assigneeUuid === agentUuid
  const isFree = state !== "finished" && task.status === "open"
  if (isFinished(task.status) || (!isHeld && !isFree) || (await isAsked(context, run))) return
  const question = {
    kind: "input" as const,
    title: `${task.shortId ?? ""} ${task.title}`.trim().slice(0, 300),
    taskUuid: taskUuid as TaskId,
    detail: {
      reason,
      machine: machineName,
      runUuid,
      held: isHeld,
      personUuid: run.startedByType === "user" ? run.startedByUuid : null,
    },
    answerable: false,
  }
  await askPeople(context, question, null, { runUuid, agentUuid: null, requestId: noticeId("ended", runUuid) })
}

async function isAsked({ db }: OperationContext, { taskUuid, sessionUuid }: ShownRun): Promise<boolean> {
  const open = await db
    .selectFrom("attentions")
    .select("uuid")
    .where(({ or, eb }) => or([eb("taskUuid", "=", taskUuid), eb("sessionUuid", "=", sessionUuid)]))
    .where("answerable", "=", 1)
    .where("answeredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .executeTakeFirst()
  return open !== undefined
}
