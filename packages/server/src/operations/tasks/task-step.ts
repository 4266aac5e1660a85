import type { EventKind, PatchOf, tasks } from "@chorus/contracts"
import { isFinished, nextTaskStatus, type TaskAction } from "@chorus/core"
import { type Db, writtenOften } from "@chorus/store"
import { actorRef, namesOf, type OperationContext } from "../../operation.ts"
import { askAudience } from "../../reactors/audience.ts"
import { askSettled } from "../../reactors/settled.ts"
import { askSubjects, party, subjectChanges } from "../../reactors/subject.ts"
import { takeNoticesBack } from "../attentions/notices.ts"
import { endReservations } from "../reservations/reservations.ts"
import { checkOutAll } from "../sessions/session-record.ts"
import { heardLately } from "../task-work/settings.ts"
import {
  alreadyClaimed,
  blockedByDependencies,
  changedMeanwhile,
  findTask,
  holderOf,
  holdTask,
  type TaskRecord,
  wrongStatus,
} from "./task-record.ts"

const EVENT_KIND = {
  claim: "task.claimed",
  assign: "task.assigned",
  release: "task.released",
  reclaim: "task.reclaimed",
  start: "task.started",
  submit: "task.submitted",
  takeBack: "task.taken_back",
  verify: "task.verified",
  reopen: "task.reopened",
  finish: "task.verified",
  putBack: "task.reopened",
  close: "task.closed",
} as const satisfies Record<TaskAction, EventKind>

type Changes = Partial<Omit<TaskRecord, "uuid" | "status" | "updatedAt">>

/** What was taken back beside holding a task; a task that is here is held, so that nobody needs to see how its step went. */
const noticesOf = new WeakMap<TaskRecord, Promise<void>>()

/** Holds a task for a step that comes at once; what the step and those who follow it ask goes out with the question. */
export async function holdForStep(
  context: OperationContext,
  taskUuid: string,
  action: Exclude<TaskAction, "start">,
): Promise<TaskRecord> {
  const holding = holdTask(context, taskUuid)
  askSettled(context, EVENT_KIND[action], taskUuid)
  const notices = takeNoticesBack(context, taskUuid)
  // A step that is refused has its own error to tell.
  notices.catch(() => undefined)
  const task = await holding
  noticesOf.set(task, notices)
  return task
}

/**
 * Takes one step of a task's life as compare-and-set: it holds only if the task still stands where `task` says, held by whom `task` says.
 * `extra` goes into the event beside what changed.
 */
export async function takeStep(
  context: OperationContext,
  task: TaskRecord,
  action: TaskAction,
  changes: Changes = {},
  extra: PatchOf<"task.reopened"> & PatchOf<"task.reclaimed"> & PatchOf<"task.submitted"> = {},
): Promise<TaskRecord> {
  const { db, actor, now, emit, besides } = context
  const status = nextTaskStatus(task.status, action)
  if (status === undefined) throw action === "claim" ? await alreadyClaimed(db, task) : wrongStatus(task, action)
  const step = {
    ...changes,
    status,
    updatedAt: now,
    uuid: task.uuid,
    from: task.status,
    holder: task.assigneeUuid,
    // A dependency may have been added or reopened since the caller looked.
    ...(action === "start" ? { waitsFor: 0 } : {}),
  }
  const notices = noticesOf.get(task)
  const known = { ...task, ...changes, status, updatedAt: now }
  const asked = notices === undefined ? stepped(db, step).execute() : [known]
  if (notices !== undefined) besides(stepping(db, step))
  else {
    askSubjects(context, "task", [task.uuid])
    askAudience(context, [task.assigneeUuid, task.createdByUuid])
    askSettled(context, EVENT_KIND[action], task.uuid)
  }
  const [[changed]] = await Promise.all([asked, notices ?? takeNoticesBack(context, task.uuid)])
  if (changed === undefined) {
    const current = await findTask(db, task.uuid)
    throw action === "claim" ? await alreadyClaimed(db, current) : changedMeanwhile(current)
  }
  subjectChanges(context, task.uuid, { assignee: party(changed.assigneeType, changed.assigneeUuid) })
  const patch = {
    status,
    updatedAt: now,
    ...("assigneeUuid" in changes
      ? { assignee: changed.assigneeUuid === actor.uuid ? actorRef(actor) : await holderOf(db, changed) }
      : {}),
    ...extra,
  }
  emit({
    kind: EVENT_KIND[action],
    entityType: "task",
    entityUuid: task.uuid,
    projectUuid: task.projectUuid,
    action: "updated",
    patch,
  })
  if (isFinished(task.status) !== isFinished(status))
    await announceDependents(context, await dependentsOf(context, task.uuid))
  return changed
}

interface Step extends Changes {
  readonly status: TaskRecord["status"]
  readonly updatedAt: string
  readonly uuid: string
  readonly from: TaskRecord["status"]
  readonly holder: string | null
  readonly waitsFor?: number
}

const stepping = writtenOften(stepOf)
const stepped = writtenOften((db, step: Step) => stepOf(db, step).returningAll())

function stepOf(db: Db, { uuid, from, holder, waitsFor, ...changes }: Step) {
  const update = db
    .updateTable("tasks")
    .set(changes)
    .where("uuid", "=", uuid)
    .where("status", "=", from)
    // No index answers this. Of "is null" PostgreSQL thinks, before it has counted a table that grew, that it fits few
    // rows, and walks over all tasks that nobody holds rather than to the one that is named.
    .where("assigneeUuid", "is not distinct from", holder)
  return waitsFor === undefined ? update : update.where("openDependencies", "=", waitsFor)
}

/** The holder set to the caller, as a claim does. */
export function heldBy(
  { actor, now }: Pick<OperationContext, "actor" | "now">,
  who: { type: TaskRecord["assigneeType"]; uuid: string },
): Changes {
  return {
    assigneeType: who.type,
    assigneeUuid: who.uuid,
    assignedAt: now,
    assignedByType: actor.type,
    assignedByUuid: actor.uuid,
  }
}

export const HELD_BY_NOBODY: Changes = {
  assigneeType: null,
  assigneeUuid: null,
  assignedAt: null,
  assignedByType: null,
  assignedByUuid: null,
  startedAt: null,
}

export async function assertUnblocked(context: OperationContext, task: TaskRecord): Promise<void> {
  const blockers = await blockersOf(context, task.uuid)
  if (blockers.length > 0) throw blockedByDependencies(task, blockers)
}

export async function dependentsOf({ db }: Pick<OperationContext, "db">, taskUuid: string): Promise<string[]> {
  const rows = await db.selectFrom("taskEdges").select("taskUuid").where("dependsOnUuid", "=", taskUuid).execute()
  return rows.map((row) => row.taskUuid)
}

/** Tells readers that these tasks now wait for more or fewer others; a task that waits for none any more can start. */
export async function announceDependents({ db, emit }: OperationContext, taskUuids: readonly string[]): Promise<void> {
  if (taskUuids.length === 0) return
  const rows = await db
    .selectFrom("tasks")
    .select(["uuid", "projectUuid", "title", "status", "openDependencies"])
    .where("uuid", "in", taskUuids)
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  for (const { uuid, projectUuid, title, status, openDependencies } of rows) {
    const ready = openDependencies === 0 && (status === "open" || status === "assigned")
    const kind = ready ? "task.unblocked" : "task.dependencies_changed"
    emit({
      kind,
      entityType: "task",
      entityUuid: uuid,
      projectUuid,
      action: "updated",
      patch: { openDependencies, ...(ready ? { title } : {}) },
    })
  }
}

/** Nobody works on the task any more: who was checked in is checked out, and its paths are free. */
export async function endWork(context: OperationContext, task: TaskRecord, reason: string): Promise<void> {
  await checkOutAll(context, { taskUuid: task.uuid }, reason)
  await endReservations(context, { taskUuid: task.uuid }, "task_ended")
}

/** The unfinished tasks this one waits for, who holds each and which session is at work on it. */
export async function blockersOf(
  context: Pick<OperationContext, "db" | "actor" | "now">,
  taskUuid: string,
): Promise<tasks.Blocker[]> {
  const { db } = context
  const rows = await db
    .selectFrom("taskEdges as e")
    .innerJoin("tasks as t", "t.uuid", "e.dependsOnUuid")
    .select(["t.uuid", "t.title", "t.status", "t.assigneeType", "t.assigneeUuid"])
    .where("e.taskUuid", "=", taskUuid)
    .where("t.status", "not in", ["done", "closed"])
    .orderBy("t.createdAt")
    .orderBy("t.uuid")
    .execute()
  if (rows.length === 0) return []
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.assigneeUuid),
  )
  const atWork = await db
    .selectFrom("checkins as c")
    .innerJoin("sessions as s", "s.uuid", "c.sessionUuid")
    .select(["c.taskUuid", "s.uuid", "s.name"])
    .where(
      "c.taskUuid",
      "in",
      rows.map((row) => row.uuid),
    )
    .where("c.checkoutAt", "is", null)
    .where("s.status", "=", "active")
    .where(await heardLately(context))
    .orderBy("s.lastActiveAt", "desc")
    .execute()
  return rows.map(({ uuid, title, status, assigneeType, assigneeUuid }) => {
    const session = atWork.find((stay) => stay.taskUuid === uuid)
    return {
      uuid,
      title,
      status,
      assignee: nameOf(assigneeType, assigneeUuid),
      activeSession: session === undefined ? null : { uuid: session.uuid, name: session.name },
    }
  })
}
