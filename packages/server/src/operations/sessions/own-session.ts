import { ChorusError, type sessions } from "@chorus/contracts"
import { sessionStatus } from "@chorus/core"
import type { Db } from "@chorus/store"
import { forbidden, notFound } from "../../faults.ts"
import type { OperationContext } from "../../operation.ts"
import { workSettings } from "../task-work/settings.ts"
import { type SessionRecord, sessionRow } from "./session-row.ts"

/** How long a sign of life may go untold to readers; they only need to know that the session is not silent. */
const TOLD_EVERY_MS = 5 * 60_000

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
    .returningAll()
    .executeTakeFirstOrThrow()
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
