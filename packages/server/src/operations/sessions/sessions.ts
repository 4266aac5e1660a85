import { type ParsedInputOf, sessions } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { sql } from "kysely"
import { forbidden, notFound, operation, type OperationContext, readPage } from "../../operation.ts"
import { claim } from "../tasks/task-life.ts"
import { findTask } from "../tasks/task-record.ts"
import { heardLately, workSettings } from "../task-work/settings.ts"
import {
  beginStay,
  checkOutAll,
  closedSession,
  ownSession,
  rowOf,
  type SessionRecord,
  sessionRow,
  touch,
  touchOwnSession,
} from "./session-record.ts"

/** What the program says of it, and how it came to be where that program's hooks tell. */
type NewSession = Omit<ParsedInputOf<typeof sessions.createSession>, "parentSessionUuid"> &
  Partial<Pick<SessionRecord, "agentType" | "spawn" | "spawnedByUuid" | "process">> & {
    parentSessionUuid?: string | undefined
  }

export const listSessions = operation(sessions.listSessions, async (context, input) => {
  const { db, actor, now } = context
  const { sessionInactiveMinutes } = await workSettings(db, actor.workspaceUuid)
  const heard = await heardLately(context)
  let query = db.selectFrom("sessions as s")
  query =
    actor.type === "agent"
      ? query.where("agentUuid", "=", actor.uuid)
      : query.where(
          "agentUuid",
          "in",
          db.selectFrom("agents").select("uuid").where("workspaceUuid", "=", actor.workspaceUuid),
        )
  if (input.status === "closed") query = query.where("status", "=", "closed")
  if (input.status === "active") query = query.where("status", "=", "active").where(heard)
  if (input.status === "inactive") query = query.where("status", "=", "active").where(sql<boolean>`not (${heard})`)
  const { rows: records, page } = await readPage(query.selectAll().orderBy("createdAt", "desc").orderBy("uuid"), input)
  return {
    sessions: records.map((record) => sessionRow(record, now, sessionInactiveMinutes)),
    ...page,
  }
})

export const getSession = operation(sessions.getSession, async (context, { sessionUuid }) => {
  const session = await ownSession(context, sessionUuid)
  const stays = await context.db
    .selectFrom("checkins")
    .select(["taskUuid", "checkinAt", "checkoutAt"])
    .where("sessionUuid", "=", sessionUuid)
    .where("checkoutAt", "is", null)
    .orderBy("checkinAt")
    .orderBy("uuid")
    .execute()
  return { ...(await rowOf(context, session)), checkins: stays, activeCheckins: stays, sessionTaskCheckins: stays }
})

export const createSession = operation(sessions.createSession, async (context, input) => {
  if (input.parentSessionUuid !== undefined) await ownSession(context, input.parentSessionUuid)
  const { session, action } = await findOrOpen(context, input)
  return { ...(await rowOf(context, session)), action }
})

export const closeSession = operation(sessions.closeSession, async (context, { sessionUuid }) => {
  return rowOf(context, await close(context, await ownSession(context, sessionUuid)))
})

export const reopenSession = operation(sessions.reopenSession, async (context, { sessionUuid }) => {
  const session = await ownSession(context, sessionUuid)
  return rowOf(context, session.status === "active" ? await touch(context, session) : await reopen(context, session))
})

export const heartbeat = operation(sessions.heartbeat, async (context, { sessionUuid }) => {
  const session = await ownSession(context, sessionUuid)
  if (session.status === "closed") throw closedSession(session)
  const { uuid, status, lastActiveAt } = await rowOf(context, await touch(context, session))
  return { uuid, status, lastActiveAt }
})

export const checkIn = operation(sessions.checkIn, async (context, { sessionUuid, taskUuid }) => {
  const session = await touchOwnSession(context, sessionUuid)
  const task = await findTask(context.db, taskUuid)
  const claims = task.status === "open" && context.actor.type === "agent" && context.actor.permissions.has("task:write")
  const held = claims ? await claim(context, task) : task
  const row = await beginStay(context, session, held)
  return { ...row, checkedInAt: row.checkinAt, claimed: claims }
})

export const checkOut = operation(sessions.checkOut, async (context, { sessionUuid, taskUuid }) => {
  const session = await ownSession(context, sessionUuid)
  if (session.status === "active") await touch(context, session)
  const ended = await checkOutAll(context, { sessionUuid, taskUuid }, "checked_out")
  return { sessionUuid, taskUuid, checkedOut: ended > 0, checkoutAt: ended > 0 ? context.now : null }
})

/** Opens a session of the caller's, unless it has one that goes by this id or name; that one comes back to life. */
export async function findOrOpen(
  context: OperationContext,
  input: NewSession,
): Promise<{ session: SessionRecord; action: "created" | "reused" | "reopened" }> {
  if (context.actor.type !== "agent") throw forbidden("Only agents have sessions.", "Call this with an agent's key.")
  await lock(context, `sessions-of:${context.actor.uuid}`)
  const known = await findAgain(context, input)
  if (known === undefined) return { session: await open(context, input), action: "created" }
  if (known.status === "active") return { session: await touch(context, known), action: "reused" }
  return { session: await reopen(context, known), action: "reopened" }
}

/** Ends a session and its stays; one that is closed stays as it is. */
export async function close(
  context: OperationContext,
  session: SessionRecord,
  reason = "session_closed",
): Promise<SessionRecord> {
  const { db, now, emit } = context
  if (session.status === "closed") return session
  const patch = { status: "closed", closedAt: now, lastActiveAt: now, updatedAt: now } as const
  // It is closed before its stays end, so that none can begin in between.
  const closed = await db
    .updateTable("sessions")
    .set(patch)
    .where("uuid", "=", session.uuid)
    .where("status", "=", "active")
    .returningAll()
    .executeTakeFirst()
  if (closed === undefined) return ownSession(context, session.uuid)
  await checkOutAll(context, { sessionUuid: session.uuid }, reason)
  emit({
    kind: "session.closed",
    entityType: "session",
    entityUuid: session.uuid,
    projectUuid: null,
    action: "updated",
    patch,
  })
  return closed
}

/** By the program's own id for it if one is given, else by name if reuse is wanted. */
async function findAgain({ db, actor }: OperationContext, input: NewSession): Promise<SessionRecord | undefined> {
  const mine = db
    .selectFrom("sessions")
    .selectAll()
    .where("agentUuid", "=", actor.uuid)
    .orderBy("createdAt", "desc")
    .orderBy("uuid")
  if (input.externalId !== undefined) return mine.where("externalId", "=", input.externalId).executeTakeFirst()
  if (input.reuse !== true) return undefined
  return mine.where("name", "=", input.name).executeTakeFirst()
}

async function open(context: OperationContext, input: NewSession): Promise<SessionRecord> {
  const { db, actor, now, newId, emit } = context
  const session = await db
    .insertInto("sessions")
    .values({
      uuid: newId(),
      agentUuid: actor.uuid,
      name: input.name,
      description: input.description ?? null,
      status: "active",
      source: input.source ?? null,
      externalId: input.externalId ?? null,
      machine: input.machine ?? null,
      process: input.process ?? null,
      formerIds: null,
      parentUuid: input.parentSessionUuid ?? null,
      agentType: input.agentType ?? null,
      spawn: input.spawn ?? null,
      spawnedByUuid: input.spawnedByUuid ?? null,
      claimedTaskUuid: null,
      supersededByUuid: null,
      state: null,
      stateSince: null,
      stateDetail: null,
      lastWords: null,
      touching: null,
      lastActiveAt: now,
      createdAt: now,
      updatedAt: now,
      closedAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const patch = await rowOf(context, session)
  emit({
    kind: "session.created",
    entityType: "session",
    entityUuid: session.uuid,
    projectUuid: null,
    action: "created",
    patch,
  })
  return session
}

export async function reopen({ db, now, emit }: OperationContext, { uuid }: SessionRecord): Promise<SessionRecord> {
  const changes = { status: "active", closedAt: null, lastActiveAt: now, updatedAt: now } as const
  const session = await db
    .updateTable("sessions")
    .set(changes)
    .where("uuid", "=", uuid)
    .returningAll()
    .executeTakeFirst()
  if (session === undefined) throw notFound("session", uuid)
  emit({
    kind: "session.reopened",
    entityType: "session",
    entityUuid: uuid,
    projectUuid: null,
    action: "updated",
    patch: changes,
  })
  return session
}
