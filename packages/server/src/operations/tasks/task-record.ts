import { type ActorRef, ChorusError, type criteria, type tasks } from "@chorus/contracts"
import { holds, type TaskAction } from "@chorus/core"
import { askedOften, type Db, type Schema } from "@chorus/store"
import type { Selectable } from "kysely"
import { type NameOf, namesOf, notFound, type OperationContext } from "../../operation.ts"
import { criterionCheck, presentChecks } from "../checks/check-record.ts"
import { labelsIn } from "../labels/labels.ts"
import { askAudienceOf } from "../../reactors/audience.ts"
import { taskIsSubject } from "../../reactors/subject.ts"
import { settingsOfProject } from "../task-work/settings.ts"
import { takenBack } from "./taken-back.ts"

export type TaskRecord = Selectable<Schema["tasks"]>

/** A task that nobody holds yet. */
export const NOT_BEGUN = {
  status: "open",
  acceptanceCriteria: null,
  assigneeType: null,
  assigneeUuid: null,
  assignedAt: null,
  assignedByType: null,
  assignedByUuid: null,
  startedAt: null,
  submittedAt: null,
  submittedByType: null,
  submittedByUuid: null,
  doneAt: null,
  dueOn: null,
} as const

/** What a row needs; long texts are left out of lists. */
export const ROW_COLUMNS = [
  "uuid",
  "projectUuid",
  "shortId",
  "proposalUuid",
  "title",
  "status",
  "priority",
  "storyPoints",
  "labels",
  "dueOn",
  "assigneeType",
  "assigneeUuid",
  "openDependencies",
  "criteriaTotal",
  "criteriaPassed",
  "criteriaChecked",
  "createdAt",
  "updatedAt",
] as const

export type RowRecord = Pick<TaskRecord, (typeof ROW_COLUMNS)[number]>

export function taskRow(record: RowRecord, nameOf: NameOf): tasks.TaskRow {
  return {
    uuid: record.uuid,
    projectUuid: record.projectUuid,
    shortId: record.shortId ?? record.uuid,
    proposalUuid: record.proposalUuid,
    title: record.title,
    status: record.status,
    priority: record.priority,
    storyPoints: record.storyPoints,
    labels: labelsIn(record.labels),
    dueOn: record.dueOn,
    assignee: nameOf(record.assigneeType, record.assigneeUuid),
    openDependencies: record.openDependencies,
    ac: criteriaCounts(record),
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  }
}

export async function taskRows(db: Db, records: readonly RowRecord[]): Promise<tasks.TaskRow[]> {
  const nameOf = await namesOf(db, new Set(records.map((record) => record.assigneeUuid)))
  return records.map((record) => taskRow(record, nameOf))
}

export function criteriaCounts(
  record: Pick<TaskRecord, "criteriaTotal" | "criteriaPassed" | "criteriaChecked">,
): tasks.TaskRow["ac"] {
  return { total: record.criteriaTotal, passed: record.criteriaPassed, checked: record.criteriaChecked }
}

export async function findTask(db: Db, taskUuid: string): Promise<TaskRecord> {
  const record = await recordOf(db, taskUuid)
  if (record === undefined) throw notFound("task", taskUuid)
  return record
}

const held = new WeakSet<TaskRecord>()

/**
 * A task that stays as it was read until this change ends, but for what the change does to it; what follows a change asks of it
 * goes out with the question. For changes of this one task alone: whoever held two could wait for one another.
 */
export async function holdTask(context: OperationContext, taskUuid: string): Promise<TaskRecord> {
  const { db, engine } = context
  const holding = engine === "sqlite" ? recordOf(db, taskUuid) : heldRecord(db, taskUuid)
  taskIsSubject(context, taskUuid, holding)
  askAudienceOf(context, taskUuid)
  const record = await holding
  if (record === undefined) throw notFound("task", taskUuid)
  held.add(record)
  return record
}

/** Whether a task is as it was read, so that nobody needs to wait to see how a change of it went. */
export function isHeld(task: TaskRecord): boolean {
  return held.has(task)
}

const heldRecord = askedOften((db, taskUuid) =>
  db.selectFrom("tasks").selectAll().where("uuid", "=", taskUuid).forNoKeyUpdate(),
)

const recordOf = askedOften((db, taskUuid) => db.selectFrom("tasks").selectAll().where("uuid", "=", taskUuid))

export async function holderOf(
  db: Db,
  task: Pick<TaskRecord, "assigneeType" | "assigneeUuid">,
): Promise<ActorRef | null> {
  const nameOf = await namesOf(db, [task.assigneeUuid])
  return nameOf(task.assigneeType, task.assigneeUuid)
}

const DONE_BY: Record<TaskAction, string> = {
  claim: "claimed",
  assign: "assigned",
  release: "released",
  reclaim: "taken back",
  start: "started",
  submit: "handed in",
  takeBack: "taken back",
  verify: "verified",
  reopen: "reopened",
  finish: "finished",
  putBack: "opened again",
  close: "closed",
}

/** Tells the loser of a claim who holds the task. */
export async function alreadyClaimed(db: Db, task: TaskRecord): Promise<ChorusError> {
  const holder = await holderOf(db, task)
  const who = holder === null ? `is ${task.status}` : `is held by ${holder.name} (${task.status})`
  return new ChorusError("already_claimed", `"${task.title}" ${who}.`, {
    status: 409,
    next: "Take another task: chorus_next_task finds one that is ready for you.",
    details: { taskUuid: task.uuid, status: task.status, holder },
  })
}

export function wrongStatus(task: TaskRecord, action: TaskAction): ChorusError {
  return new ChorusError(
    "wrong_status",
    `"${task.title}" is ${task.status}; from there it cannot be ${DONE_BY[action]}.`,
    {
      status: 409,
      next: "Get the task to see where it stands.",
      details: { taskUuid: task.uuid, status: task.status, action },
    },
  )
}

export function wrongMove(task: TaskRecord, status: tasks.TaskStatus): ChorusError {
  return new ChorusError("wrong_status", `"${task.title}" is ${task.status}; it cannot go straight to ${status}.`, {
    status: 409,
    next: "Move it one stage at a time: open, assigned, in_progress, to_verify, done.",
    details: { taskUuid: task.uuid, status: task.status, wanted: status },
  })
}

export function changedMeanwhile(task: TaskRecord): ChorusError {
  return new ChorusError("changed_meanwhile", `"${task.title}" was changed by somebody else at the same moment.`, {
    status: 409,
    next: "Get the task and decide again.",
    details: { taskUuid: task.uuid },
  })
}

export async function notHolder(db: Db, task: TaskRecord): Promise<ChorusError> {
  const holder: ActorRef | null = await holderOf(db, task)
  return new ChorusError(
    "not_holder",
    holder === null ? `Nobody holds "${task.title}".` : `"${task.title}" is held by ${holder.name}, not by you.`,
    {
      status: 403,
      next: holder === null ? "Claim it first, or start it with chorus_start_task." : "Work on a task you hold.",
      details: { taskUuid: task.uuid, holder },
    },
  )
}

export function blockedByDependencies(task: TaskRecord, blockers: readonly tasks.Blocker[]): ChorusError {
  const named = blockers.map(
    (blocker) =>
      `"${blocker.title}" (${blocker.status}${blocker.assignee === null ? "" : `, ${blocker.assignee.name}`})`,
  )
  return new ChorusError(
    "blocked_by_dependencies",
    `"${task.title}" waits for ${named.slice(0, 5).join(", ")}${named.length > 5 ? " …" : ""}.`,
    {
      status: 409,
      next: "Wait until these are done or closed, or take another task with chorus_next_task.",
      details: { taskUuid: task.uuid, blockers },
    },
  )
}

export function selfVerification(task: TaskRecord): ChorusError {
  return new ChorusError(
    "self_verification",
    `You worked on "${task.title}" yourself, so somebody else must judge it.`,
    {
      status: 403,
      next: `Let another person or agent verify it, or turn on "Builders may verify their own work" in the project's settings.`,
      details: { taskUuid: task.uuid },
    },
  )
}

/** Only who holds a task works on it; a person who may judge tasks may also move somebody else's along. */
export async function assertMayWork({ db, actor }: OperationContext, task: TaskRecord): Promise<void> {
  if (holds(actor, task)) return
  if (actor.type !== "agent" && actor.permissions.has("task:admin")) return
  const taken = (await takenBack(db, actor.uuid, task.assigneeUuid === null ? [task.uuid] : [])).get(task.uuid)
  if (taken === undefined) throw await notHolder(db, task)
  throw new ChorusError("not_holder", `"${task.title}" was ${taken}.`, {
    status: 403,
    next: "Leave it, and take another task: chorus_next_task. chorus_start_task takes this one again.",
    details: { taskUuid: task.uuid, holder: null },
  })
}

/** Nobody judges their own work, unless the project allows it; who owns an agent may judge the agent's. */
export async function assertMayJudge({ db, actor }: OperationContext, task: TaskRecord): Promise<void> {
  if (!didTheWork(actor, task)) return
  const { allowSelfVerify } = await settingsOfProject(db, task.projectUuid)
  if (!allowSelfVerify) throw selfVerification(task)
}

/** Whoever handed it in; an agent also where it holds the task. A person to whom it is assigned may judge what their agent did with it. */
function didTheWork(actor: OperationContext["actor"], task: TaskRecord): boolean {
  if (task.submittedByUuid !== null && actor.type === "user") return task.submittedByUuid === actor.uuid
  return task.submittedByUuid === actor.uuid || holds(actor, task)
}

export function criterionRow(record: Schema["criteria"]): criteria.CriterionRow {
  const { devMarkedByUuid, markedByUuid, required, approvedByUuid, taskUuid: _, retiredAt: __, ...rest } = record
  return {
    ...rest,
    required: required === 1,
    ...(record.command === null ? {} : { approved: approvedByUuid !== null }),
    devMarkedBy: devMarkedByUuid,
    markedBy: markedByUuid,
  }
}

/** The criteria in force, in order. */
export async function criteriaOf(db: Db, taskUuid: string): Promise<criteria.CriterionRow[]> {
  const records = await inForce.all(db, taskUuid)
  if (records.every(({ command }) => command === null)) return records.map(criterionRow)
  const checks = await presentChecks(db, taskUuid)
  return records.map((record) => {
    const check = checks.find(({ criterionUuid }) => criterionUuid === record.uuid)
    return { ...criterionRow(record), ...(check === undefined ? {} : { check: criterionCheck(check) }) }
  })
}

const inForce = askedOften((db, taskUuid) =>
  db
    .selectFrom("criteria")
    .selectAll()
    .where("taskUuid", "=", taskUuid)
    .where("retiredAt", "is", null)
    .orderBy("sortOrder")
    .orderBy("uuid"),
)

/**
 * A criterion as it is first written down: nobody has judged it. A command that a person writes, or takes over with a
 * plan, is approved by that.
 */
export function newCriterion(
  { actor, newId }: Pick<OperationContext, "actor" | "newId">,
  taskUuid: string,
  input: criteria.CriterionInput,
  sortOrder: number,
): Schema["criteria"] {
  return {
    uuid: newId(),
    taskUuid,
    description: input.description,
    required: input.required === false ? 0 : 1,
    command: input.command ?? null,
    approvedByUuid: input.command !== undefined && actor.type === "user" ? actor.uuid : null,
    sortOrder,
    ...UNJUDGED,
    retiredAt: null,
  }
}

/** Both tracks before anybody has said anything. */
export const UNJUDGED = {
  devStatus: "pending",
  devEvidence: null,
  devMarkedByType: null,
  devMarkedByUuid: null,
  devMarkedAt: null,
  status: "pending",
  evidence: null,
  markedByType: null,
  markedByUuid: null,
  markedAt: null,
} as const
