import { ChorusError, criteria, type Permission, type Preset, type projectSettings, tasks } from "@chorus/contracts"
import { agentPermissions, holds, isFinished, maySucceed, nextTaskStatus, taskStatusesFor } from "@chorus/core"
import { type Db, lock } from "@chorus/store"
import { notFound, operation, type OperationContext } from "../../operation.ts"
import { blockerWarnings } from "../changes/threads.ts"
import { assertMayChangeScope } from "../change-requests/rewrite.ts"
import { checksDue, queueChecks } from "../checks/check-queue.ts"
import { endReservations } from "../reservations/reservations.ts"
import { addReport } from "../task-work/report-entry.ts"
import { unreviewed } from "../reviews/review-gate.ts"
import { settingsAround, settingsOfProject } from "../task-work/settings.ts"
import { acceptanceOf, judge, passUnjudged, reopenMarks, resetMarks } from "./criterion-marks.ts"
import { keepHandIn, lastHandInNumber, returnedOf, settleHandIn } from "./hand-in.ts"
import { assertNothingAsked } from "./open-question.ts"
import { aroundTask, claimedTask, surroundings } from "./task-detail.ts"
import {
  assertMayJudge,
  assertMayWork,
  criteriaOf,
  findTask,
  holderOf,
  notHolder,
  type TaskRecord,
  wrongStatus,
} from "./task-record.ts"
import { assertUnblocked, endWork, HELD_BY_NOBODY, heldBy, holdForStep, takeStep } from "./task-step.ts"

type ProjectSettings = projectSettings.ProjectSettings

export const claimTask = operation(tasks.claimTask, async (context, { taskUuid }) => {
  const { db } = context
  const holding = holdForStep(context, taskUuid, "claim")
  const asked = aroundTask(db, taskUuid)
  const [task, settings] = await Promise.all([holding, settingsAround(context, taskUuid)])
  const around = surroundings(context, task, asked)
  return claimedTask(context, await claim(context, task, settings), around)
})

export const releaseTask = operation(tasks.releaseTask, async (context, { taskUuid, reason }) => {
  const task = await findTask(context.db, taskUuid)
  if (taskStatusesFor("release").includes(task.status)) await assertMayWork(context, task)
  return changeOf(await release(context, task, reason))
})

export const assignTask = operation(tasks.assignTask, async (context, { taskUuid, agentUuid, reason }) => {
  const task = await findTask(context.db, taskUuid)
  return claimedTask(context, await assignTo(context, task, { type: "agent", uuid: agentUuid }, reason))
})

export const assignTaskToPerson = operation(
  tasks.assignTaskToPerson,
  async (context, { taskUuid, userUuid, reason }) => {
    const task = await findTask(context.db, taskUuid)
    return claimedTask(context, await assignTo(context, task, { type: "user", uuid: userUuid }, reason))
  },
)

/** Makes the caller the holder of an open task. */
export async function claim(
  context: OperationContext,
  task: TaskRecord,
  settings?: ProjectSettings,
): Promise<TaskRecord> {
  const { actor } = context
  if (actor.type === "agent") await assertFree(context, task, actor.uuid, settings)
  return takeStep(context, task, "claim", heldBy(context, actor))
}

/** Gives a held task back to the open ones; whoever else held it is told who took it, and why. */
export async function release(context: OperationContext, task: TaskRecord, reason?: string): Promise<TaskRecord> {
  const taken = await takeFrom(context, task, reason)
  const released = taken ?? (await takeStep(context, task, "release", HELD_BY_NOBODY))
  await endWork(context, task, taken === undefined ? "task_released" : "task_reclaimed")
  return released
}

/** Takes a task out of somebody else's hands; nothing where nobody else has it. */
async function takeFrom(context: OperationContext, task: TaskRecord, reason = ""): Promise<TaskRecord | undefined> {
  const from = await holderOf(context.db, task)
  if (from === null || holds(context.actor, task) || !taskStatusesFor("reclaim").includes(task.status)) return undefined
  const why = reason.trim() === "" ? {} : { reason }
  return takeStep(context, task, "reclaim", HELD_BY_NOBODY, { title: task.title, from, ...why })
}

/** Gives a task to an agent that can work on it, or to a person who is still here. */
export async function assignTo(
  context: OperationContext,
  task: TaskRecord,
  who: { type: "agent" | "user"; uuid: string },
  reason?: string,
): Promise<TaskRecord> {
  await (who.type === "agent" ? assertCanWork(context, task, who.uuid) : assertActive(context, who.uuid))
  // Work under way changes hands only by a person's word.
  if (task.status === "in_progress" && context.actor.type === "agent") throw await notHolder(context.db, task)
  if (who.type === "agent") await assertFree(context, task, who.uuid)
  const isOther = task.assigneeUuid !== null && task.assigneeUuid !== who.uuid
  const free = isOther ? ((await takeFrom(context, task, reason)) ?? task) : task
  const assigned = await takeStep(context, free, "assign", { ...heldBy(context, who), startedAt: null })
  if (isOther) await endWork(context, task, "task_reassigned")
  return assigned
}

async function assertCanWork({ db }: OperationContext, task: TaskRecord, agentUuid: string): Promise<void> {
  const agent = await db.selectFrom("agents").selectAll().where("uuid", "=", agentUuid).executeTakeFirst()
  if (agent === undefined) throw notFound("agent", agentUuid)
  const bits = agentPermissions(JSON.parse(agent.presets) as Preset[], JSON.parse(agent.permissions) as Permission[])
  const reach = agent.projectUuids === null ? null : (JSON.parse(agent.projectUuids) as string[])
  if (agent.archivedAt === null && bits.has("task:write") && (reach === null || reach.includes(task.projectUuid)))
    return
  throw new ChorusError("agent_cannot_work", `${agent.name} may not work on tasks of this project.`, {
    status: 409,
    next: "Choose an agent that has task:write and reaches this project, or change its permissions.",
    details: { agentUuid, archived: agent.archivedAt !== null },
  })
}

/** Who is disabled cannot sign in, so what they hold would lie. */
async function assertActive({ db }: OperationContext, userUuid: string): Promise<void> {
  const person = await db.selectFrom("users").select("disabledAt").where("uuid", "=", userUuid).executeTakeFirst()
  if (person === undefined || person.disabledAt !== null) throw notFound("person", userUuid)
}

/** Where the project asks for it, an agent holds one task at a time. */
async function assertFree(
  { db, engine }: OperationContext,
  task: TaskRecord,
  agentUuid: string,
  settings?: ProjectSettings,
): Promise<void> {
  const { exclusiveWork } = settings ?? (await settingsOfProject(db, task.projectUuid))
  if (!exclusiveWork) return
  await lock({ db, engine }, `work-of:${agentUuid}`)
  const other = await db
    .selectFrom("tasks")
    .select(["uuid", "title", "status"])
    .where("assigneeUuid", "=", agentUuid)
    .where("status", "in", ["assigned", "in_progress"])
    .where("projectUuid", "=", task.projectUuid)
    .where("uuid", "<>", task.uuid)
    .executeTakeFirst()
  if (other === undefined) return
  throw new ChorusError(
    "holds_other_task",
    `This agent already holds "${other.title}" (${other.status}), and the project allows one task at a time.`,
    {
      status: 409,
      next: "Finish or release that task first.",
      details: { taskUuid: other.uuid },
    },
  )
}

export const submitForVerify = operation(tasks.submitForVerify, async (context, { taskUuid, summary, insist }) => {
  const task = await findTask(context.db, taskUuid)
  if (task.status !== "in_progress") throw wrongStatus(task, "submit")
  const submitted = await submit(context, task, { insist })
  if (summary !== undefined && summary.trim() !== "") await addReport(context, submitted, summary, null)
  return changeOf(submitted)
})

export const verifyTask = operation(tasks.verifyTask, async (context, { taskUuid, passing = [] }) => {
  const task = await findTask(context.db, taskUuid)
  if (task.status === "to_verify") await passUnjudged(context, task, passing)
  return { ...changeOf(await verify(context, task)), warnings: await blockerWarnings(context.db, taskUuid) }
})

export const markCriteria = operation(criteria.markCriteria, async (context, input) => {
  const task = await findTask(context.db, input.taskUuid)
  if (isFinished(task.status)) throw wrongStatus(task, "verify")
  await judge(context, task, input.criteria)
  if (input.sendBack !== undefined) await reopen(context, task, { force: false, reason: input.sendBack })
  return acceptanceOf(context, task)
})

/** Failing criteria and sending back is one act. */
export const reopenTask = operation(tasks.reopenTask, async (context, { taskUuid, force, reason, failed }) => {
  const task = await findTask(context.db, taskUuid)
  if (failed !== undefined && failed.length > 0)
    await judge(
      context,
      task,
      failed.map((item) => ({ ...item, status: "failed" as const })),
    )
  return changeOf(await reopen(context, task, { force, reason }))
})

export const closeTask = operation(tasks.closeTask, async (context, { taskUuid }) => {
  const task = await findTask(context.db, taskUuid)
  await assertMayChangeScope(context, task.proposalUuid, "closing one of its tasks")
  return changeOf(await close(context, task))
})

/** Begins work on an assigned task once nothing it depends on is unfinished. */
export async function start(context: OperationContext, task: TaskRecord): Promise<TaskRecord> {
  await assertMayWork(context, task)
  if (task.status === "in_progress") return task
  if (task.status === "assigned") await assertUnblocked(context, task)
  return takeStep(context, task, "start", { startedAt: task.startedAt ?? context.now })
}

export async function submit(
  context: OperationContext,
  task: TaskRecord,
  { insist = false }: { insist?: boolean | undefined } = {},
): Promise<TaskRecord> {
  await assertMayWork(context, task)
  if (task.status === "to_verify") return task
  if (!insist) await assertNothingAsked(context, task)
  const { actor, now } = context
  // A person who only moves the card along did not do the work.
  const doer = holds(actor, task)
    ? { submittedByType: actor.type, submittedByUuid: actor.uuid }
    : { submittedByType: task.assigneeType, submittedByUuid: task.assigneeUuid }
  const changes = { submittedAt: now, returnedAt: null, ...doer }
  const due = await checksDue(context, task)
  const handIn = (await lastHandInNumber(context.db, task.uuid)) + 1
  const submitted = await takeStep(context, task, "submit", changes, {
    title: task.title,
    handIn,
    ...(due === undefined ? {} : { checking: true }),
  })
  await keepHandIn(context, submitted, handIn)
  if (due !== undefined) await queueChecks(context, submitted, due, true)
  await endReservations(context, { taskUuid: task.uuid }, "task_ended")
  return submitted
}

/** Whoever handed a task in has thought of something: it is theirs to work on again, and nobody has to judge it. */
export async function takeBack(context: OperationContext, task: TaskRecord): Promise<TaskRecord> {
  await assertMayWork(context, task)
  const taken = await takeStep(context, task, "takeBack", { submittedAt: null }, { title: task.title })
  await settleHandIn(context, task.uuid, "taken_back")
  return taken
}

/**
 * Accepts handed-in work: judged by somebody else, every required criterion passed, reviewed where the project asks for
 * it.
 */
export async function verify(context: OperationContext, task: TaskRecord): Promise<TaskRecord> {
  if (task.status !== "to_verify") throw wrongStatus(task, "verify")
  await assertMayJudge(context, task)
  const items = await criteriaOf(context.db, task.uuid)
  if (!maySucceed(items)) throw criteriaNotPassed(task, items)
  const { requireTaskReview } = await settingsOfProject(context.db, task.projectUuid)
  if (requireTaskReview) await assertReviewed(context.db, task)
  const done = await takeStep(context, task, "verify", { doneAt: context.now }, { title: task.title })
  await settleHandIn(context, task.uuid, "accepted")
  await endWork(context, done, "task_done")
  return done
}

/** Notes that a task was done where it came from; nobody here held it, so there is nothing to judge. */
export function finish(context: OperationContext, task: TaskRecord): Promise<TaskRecord> {
  return takeStep(context, task, "finish", { doneAt: context.now }, { title: task.title })
}

/**
 * Sends a task back: to its holder when it had been handed in, to the open ones when nobody has it. What was said
 * of it stays until the next hand-in, which is judged anew; only a task that nobody has starts over.
 */
export async function reopen(
  context: OperationContext,
  task: TaskRecord,
  { force, reason }: { force: boolean; reason?: string | undefined },
): Promise<TaskRecord> {
  const toWork = task.status === "to_verify" || (task.status === "done" && task.assigneeUuid !== null)
  if (toWork && !force) await assertUnblocked(context, task)
  const nothingHandedIn = { submittedAt: null, doneAt: null }
  const changes = toWork ? { ...nothingHandedIn, returnedAt: context.now } : { ...HELD_BY_NOBODY, ...nothingHandedIn }
  if (toWork && nextTaskStatus(task.status, "reopen") !== undefined)
    await settleHandIn(context, task.uuid, "returned", reason ?? null)
  const returned = toWork ? await returnedOf(context.db, { uuid: task.uuid, returnedAt: context.now }) : null
  const silent = returned?.failed.find(({ evidence = "" }) => evidence.trim() === "")
  const isSaid = (reason ?? "").trim() !== "" || (returned?.comments ?? []).length > 0
  if (silent !== undefined && !isSaid) throw nothingSaid(silent.criterion)
  const reopened = await takeStep(context, task, task.status === "done" && !toWork ? "putBack" : "reopen", changes, {
    title: task.title,
    ...(force ? { force } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(returned === null ? {} : { returned }),
  })
  await (toWork ? reopenMarks(context, reopened) : resetMarks(context, reopened))
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
  if (task.status === "to_verify") await settleHandIn(context, task.uuid, "closed")
  await endWork(context, closed, "task_closed")
  return closed
}

export function changeOf({ uuid, title, status }: TaskRecord): tasks.TaskChange {
  return { uuid, title, status }
}

function nothingSaid(criterion: string): ChorusError {
  return new ChorusError("reason_missing", `"${criterion}" failed, and nothing says why.`, {
    next: "Give a reason, comments at lines, or evidence for each failed criterion: whoever mends it works from that alone.",
  })
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
      next: "Judge the criteria with chorus_mark_acceptance_criteria, or send the task back.",
      details: { taskUuid: task.uuid, unmet },
    },
  )
}

/** Where a project asks for reviews, work is accepted only once what was handed in has passed one. */
export async function assertReviewed(db: Db, task: TaskRecord): Promise<void> {
  const reason = await unreviewed(db, { targetUuid: task.uuid, since: task.submittedAt ?? task.createdAt })
  if (reason === undefined) return
  throw new ChorusError("review_missing", `"${task.title}" cannot be verified: ${reason}.`, {
    status: 409,
    next: "Let a reviewer submit a passing review with chorus_submit_review, or resolve the open blockers.",
    details: { taskUuid: task.uuid },
  })
}
