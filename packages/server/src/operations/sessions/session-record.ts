import { ChorusError, type sessions } from "@chorus/contracts"
import { isFinished, sessionStatus } from "@chorus/core"
import type { Db, Schema } from "@chorus/store"
import { forbidden, notFound, type OperationContext } from "../../operation.ts"
import { workSettings } from "../task-work/settings.ts"
import type { TaskRecord } from "../tasks/task-record.ts"

export type SessionRecord = Schema["sessions"]

export function sessionRow(record: SessionRecord, now: string, inactiveMinutes: number): sessions.SessionRow {
  const { touching: _, process: __, formerIds: ___, ...rest } = record
  return { ...rest, status: sessionStatus(record, now, inactiveMinutes) }
}

/** Why a stay ended whose program ended without a word. */
export const LOST = "session_lost"

/** How long a sign of life may go untold to readers; they only need to know that the session is not silent. */
const TOLD_EVERY_MS = 4 * 60_000

/** The session, if it is the caller's: the agent's own, or for a person one of an agent they own or that they look after as admin. */
export async function ownSession(
  { db, actor }: Pick<OperationContext, "db" | "actor">,
  sessionUuid: string,
): Promise<SessionRecord> {
  const session = await db.selectFrom("sessions").selectAll().where("uuid", "=", sessionUuid).executeTakeFirst()
  if (session === undefined) throw notFound("session", sessionUuid)
  if (session.agentUuid === actor.uuid || actor.type === "system") return session
  if (actor.type === "user" && actor.role !== "viewer" && (await looksAfter(db, actor, session.agentUuid)))
    return session
  throw forbidden("This session belongs to another agent.", "Use one of your own; chorus_list_sessions shows them.")
}

/** A sign of life for an open session of the caller's. */
export async function touchOwnSession(context: OperationContext, sessionUuid: string): Promise<SessionRecord> {
  const session = await ownSession(context, sessionUuid)
  if (session.status === "closed") throw closedSession(session)
  return touch(context, session)
}

/** Keeps the time of the sign always, and tells readers of it when they would otherwise take the session for silent. */
export async function touch(context: OperationContext, session: SessionRecord): Promise<SessionRecord> {
  const { db, actor, now, emit } = context
  const { sessionInactiveMinutes } = await workSettings(db, actor.workspaceUuid)
  const wasSilent = sessionStatus(session, now, sessionInactiveMinutes) === "inactive"
  const untold =
    Date.parse(now) - Date.parse(session.updatedAt) >= Math.min(TOLD_EVERY_MS, (sessionInactiveMinutes * 60_000) / 4)
  const tell = wasSilent || untold
  const touched = await db
    .updateTable("sessions")
    .set({ lastActiveAt: now, ...(tell ? { updatedAt: now } : {}) })
    .where("uuid", "=", session.uuid)
    .where("status", "=", "active")
    .returningAll()
    .executeTakeFirst()
  // Somebody closed it in the meantime: a sign of life that comes after the end is none.
  if (touched === undefined) throw closedSession(session)
  if (tell) {
    const patch = { lastActiveAt: now, updatedAt: now, status: "active" } as const
    emit({
      kind: "session.seen",
      entityType: "session",
      entityUuid: session.uuid,
      projectUuid: null,
      action: "updated",
      patch,
    })
  }
  return touched
}

export async function rowOf(
  { db, actor, now }: Pick<OperationContext, "db" | "actor" | "now">,
  session: SessionRecord,
): Promise<sessions.SessionRow> {
  const { sessionInactiveMinutes } = await workSettings(db, actor.workspaceUuid)
  return sessionRow(session, now, sessionInactiveMinutes)
}

export function closedSession(session: SessionRecord): ChorusError {
  return new ChorusError("session_closed", `The session ${session.name} is closed.`, {
    status: 409,
    next: "Open it again with chorus_reopen_session, or create a new one.",
    details: { sessionUuid: session.uuid },
  })
}

async function looksAfter(db: Db, actor: OperationContext["actor"], agentUuid: string): Promise<boolean> {
  if (actor.role === "owner" || actor.role === "admin") return true
  const agent = await db.selectFrom("agents").select("ownerUuid").where("uuid", "=", agentUuid).executeTakeFirst()
  return agent?.ownerUuid === actor.uuid
}

/** Begins a stay, or finds the one that is open; a session is at a task once. */
export async function beginStay(
  { db, now, newId, emit }: OperationContext,
  session: SessionRecord,
  task: TaskRecord,
): Promise<sessions.CheckinRow> {
  if (isFinished(task.status)) throw finished(task)
  const inserted = await db
    .insertInto("checkins")
    .values({
      uuid: newId(),
      sessionUuid: session.uuid,
      taskUuid: task.uuid,
      checkinAt: now,
      checkoutAt: null,
      checkoutReason: null,
    })
    .onConflict((conflict) => conflict.columns(["sessionUuid", "taskUuid"]).where("checkoutAt", "is", null).doNothing())
    .executeTakeFirst()
  const row = checkinRow(
    await selectCheckins(db)
      .where("c.sessionUuid", "=", session.uuid)
      .where("c.taskUuid", "=", task.uuid)
      .where("c.checkoutAt", "is", null)
      .executeTakeFirstOrThrow(),
  )
  if (inserted.numInsertedOrUpdatedRows === 1n) {
    emit({
      kind: "session.checked_in",
      entityType: "checkin",
      entityUuid: row.uuid,
      projectUuid: task.projectUuid,
      action: "created",
      patch: row,
    })
  }
  return row
}

function finished(task: TaskRecord): ChorusError {
  return new ChorusError("task_finished", `"${task.title}" is ${task.status}; nobody works on it any more.`, {
    status: 409,
    next: "Check in on another task, or have this one reopened.",
    details: { taskUuid: task.uuid, status: task.status },
  })
}

/** Stays with what a reader needs to show them; narrow it with `where`. */
export function selectCheckins(db: Db) {
  return db
    .selectFrom("checkins as c")
    .innerJoin("sessions as s", "s.uuid", "c.sessionUuid")
    .innerJoin("agents as a", "a.uuid", "s.agentUuid")
    .select([
      "c.uuid",
      "c.sessionUuid",
      "s.name as sessionName",
      "s.agentUuid",
      "a.name as agentName",
      "c.taskUuid",
      "c.checkinAt",
      "c.checkoutAt",
      "c.checkoutReason",
    ])
}

type CheckinRecord = Awaited<ReturnType<ReturnType<typeof selectCheckins>["execute"]>>[number]

export function checkinRow({ agentUuid, agentName, ...rest }: CheckinRecord): sessions.CheckinRow {
  return { ...rest, agent: { type: "agent", uuid: agentUuid, name: agentName } }
}

/** Ends every open stay on a task, of a session, or of that session on that task; returns how many there were. */
export async function checkOutAll(
  context: OperationContext,
  which: { taskUuid?: string; sessionUuid?: string },
  reason: string,
): Promise<number> {
  const { db, now, emit } = context
  let query = db
    .updateTable("checkins")
    .set({ checkoutAt: now, checkoutReason: reason })
    .where("checkoutAt", "is", null)
  if (which.taskUuid !== undefined) query = query.where("taskUuid", "=", which.taskUuid)
  if (which.sessionUuid !== undefined) query = query.where("sessionUuid", "=", which.sessionUuid)
  const ended = await query.returning("uuid").execute()
  if (ended.length === 0) return 0
  const rows = await selectCheckins(db)
    .innerJoin("tasks as t", "t.uuid", "c.taskUuid")
    .select("t.projectUuid")
    .where(
      "c.uuid",
      "in",
      ended.map((row) => row.uuid),
    )
    .execute()
  for (const { projectUuid, ...record } of rows) {
    emit({
      kind: "session.checked_out",
      entityType: "checkin",
      entityUuid: record.uuid,
      projectUuid,
      action: "updated",
      patch: checkinRow(record),
    })
  }
  return ended.length
}
