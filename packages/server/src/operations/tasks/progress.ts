import { ChorusError, tasks } from "@chorus/contracts"
import { holds, isFinished, maySucceed } from "@chorus/core"
import { operation, type OperationContext } from "../../operation.ts"
import { endReservations } from "../reservations/reservation-end.ts"
import { addReport } from "../task-work/report-entry.ts"
import { settingsOfProject } from "../task-work/settings.ts"
import { resetMarks } from "./criterion-marks.ts"
import { criteriaOf } from "./criterion-row.ts"
import { endWork } from "./task-ending.ts"
import { wrongStatus } from "./task-faults.ts"
import { assertReviewed } from "./task-review.ts"
import { assertMayJudge, assertMayWork } from "./task-rights.ts"
import { findTask, type TaskRecord } from "./task-row.ts"
import { assertUnblocked, HELD_BY_NOBODY, takeStep } from "./task-step.ts"

export const submitForVerify = operation(tasks.submitForVerify, async (context, { taskUuid, summary }) => {
  const task = await findTask(context.db, taskUuid)
  if (task.status !== "in_progress") throw wrongStatus(task, "submit")
  const submitted = await submit(context, task)
  if (summary !== undefined && summary.trim() !== "") await addReport(context, submitted, summary, null)
  return changeOf(submitted)
})

export const verifyTask = operation(tasks.verifyTask, async (context, { taskUuid }) =>
  changeOf(await verify(context, await findTask(context.db, taskUuid))),
)

export const reopenTask = operation(tasks.reopenTask, async (context, { taskUuid, force, reason }) => {
  return changeOf(await reopen(context, await findTask(context.db, taskUuid), { force, reason }))
})

export const closeTask = operation(tasks.closeTask, async (context, { taskUuid }) =>
  changeOf(await close(context, await findTask(context.db, taskUuid))),
)

/** Begins work on an assigned task once nothing it depends on is unfinished. */
export async function start(context: OperationContext, task: TaskRecord): Promise<TaskRecord> {
  await assertMayWork(context, task)
  if (task.status === "in_progress") return task
  if (task.status === "assigned") await assertUnblocked(context, task)
  return takeStep(context, task, "start", { startedAt: task.startedAt ?? context.now })
}

export async function submit(context: OperationContext, task: TaskRecord): Promise<TaskRecord> {
  await assertMayWork(context, task)
  if (task.status === "to_verify") return task
  const { actor, now } = context
  // A person who only moves the card along did not do the work.
  const doer = holds(actor, task)
    ? { submittedByType: actor.type, submittedByUuid: actor.uuid }
    : { submittedByType: task.assigneeType, submittedByUuid: task.assigneeUuid }
  const submitted = await takeStep(context, task, "submit", { submittedAt: now, ...doer }, { title: task.title })
  await endReservations(context, { taskUuid: task.uuid }, "task_ended")
  return submitted
}

/** Accepts handed-in work: judged by somebody else, every required criterion passed, reviewed where the project asks for it. */
export async function verify(context: OperationContext, task: TaskRecord): Promise<TaskRecord> {
  if (task.status !== "to_verify") throw wrongStatus(task, "verify")
  await assertMayJudge(context, task)
  const items = await criteriaOf(context.db, task.uuid)
  if (!maySucceed(items)) throw criteriaNotPassed(task, items)
  const { requireTaskReview } = await settingsOfProject(context.db, task.projectUuid)
  if (requireTaskReview) await assertReviewed(context.db, task)
  const done = await takeStep(context, task, "verify", { doneAt: context.now }, { title: task.title })
  await endWork(context, done, "task_done")
  return done
}

/** Sends a task back: to its holder when it had been handed in, to the open ones when it had been closed. Marks start over, their history stays. */
export async function reopen(
  context: OperationContext,
  task: TaskRecord,
  { force, reason }: { force: boolean; reason?: string | undefined },
): Promise<TaskRecord> {
  const toWork = task.status === "to_verify" || task.status === "done"
  if (toWork && !force) await assertUnblocked(context, task)
  const changes = toWork ? { submittedAt: null, doneAt: null } : { ...HELD_BY_NOBODY, submittedAt: null, doneAt: null }
  const reopened = await takeStep(context, task, "reopen", changes, {
    title: task.title,
    ...(force ? { force } : {}),
    ...(reason === undefined ? {} : { reason }),
  })
  await resetMarks(context, reopened)
  return reopened
}

export async function close(context: OperationContext, task: TaskRecord): Promise<TaskRecord> {
  const closed = await takeStep(
    context,
    task,
    "close",
    { doneAt: isFinished(task.status) ? task.doneAt : null },
    { title: task.title },
  )
  await endWork(context, closed, "task_closed")
  return closed
}

export function changeOf({ uuid, title, status }: TaskRecord): tasks.TaskChange {
  return { uuid, title, status }
}

function criteriaNotPassed(task: TaskRecord, items: Awaited<ReturnType<typeof criteriaOf>>): ChorusError {
  const unmet = items
    .filter((item) => item.required && item.status !== "passed")
    .map(({ uuid, description, status, devStatus }) => ({ uuid, description, status, devStatus }))
  return new ChorusError(
    "criteria_not_passed",
    `${unmet.length} required ${unmet.length === 1 ? "criterion has" : "criteria have"} not passed: ${unmet
      .map((item) => item.description)
      .slice(0, 3)
      .join("; ")}.`,
    {
      status: 409,
      next: "Judge the criteria with chorus_mark_acceptance_criteria, or reopen the task.",
      details: { taskUuid: task.uuid, unmet },
    },
  )
}
