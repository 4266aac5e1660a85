import { z } from "zod"
import { ActorRef, line, pageInput, pageOutput, prose, SessionId, signature, TaskId } from "../signature.ts"

/** Inactive is an active session that has been silent too long; it is decided when somebody looks. */
export const SessionStatus = z.enum(["active", "inactive", "closed"])
export type SessionStatus = z.infer<typeof SessionStatus>

/** How a sub-agent came to be: its call waited for it, or returned at once, or it is a member of a team, which works in turns. */
export const Spawn = z.enum(["foreground", "background", "teammate"])
export type Spawn = z.infer<typeof Spawn>

/** A session as lists show it, and as `session.*` events patch it. */
export const SessionRow = z.object({
  uuid: z.string(),
  agentUuid: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  status: SessionStatus,
  source: z.string().nullable(),
  externalId: z.string().nullable(),
  machine: z.string().nullable(),
  parentUuid: z.string().nullable(),
  /** What kind of sub-agent it is, as its program calls that. */
  agentType: z.string().nullable(),
  spawn: Spawn.nullable(),
  /** The session that called for it: its parent's own, or another sub-agent's. */
  spawnedByUuid: z.string().nullable(),
  /** The task that was claimed for it when it was spawned. */
  claimedTaskUuid: z.string().nullable(),
  /** The session that turned out to be this one, and goes on in its place. */
  supersededByUuid: z.string().nullable(),
  /** What the agent's program does right now, as its hooks tell it. */
  state: z.string().nullable(),
  stateSince: z.string().nullable(),
  stateDetail: z.string().nullable(),
  lastWords: z.string().nullable(),
  lastActiveAt: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  closedAt: z.string().nullable(),
})
export type SessionRow = z.infer<typeof SessionRow>

/** One stay of a session on a task, and what `session.checked_in` and `session.checked_out` events patch. */
export const CheckinRow = z.object({
  uuid: z.string(),
  sessionUuid: z.string(),
  sessionName: z.string(),
  agent: ActorRef,
  taskUuid: z.string(),
  checkinAt: z.string(),
  checkoutAt: z.string().nullable(),
  checkoutReason: z.string().nullable(),
})
export type CheckinRow = z.infer<typeof CheckinRow>

const sessionUuid = SessionId
const stay = z.object({ taskUuid: z.string(), checkinAt: z.string(), checkoutAt: z.string().nullable() })

export const listSessions = signature({
  name: "chorus_list_sessions",
  does: "List your sessions, newest first.",
  needs: "anyone",
  kind: "read",
  tool: "listed",
  input: z.object({ status: SessionStatus.optional(), ...pageInput }),
  output: z.object({ sessions: z.array(SessionRow), ...pageOutput }),
})

export const getSession = signature({
  name: "chorus_get_session",
  does: "Get one of your sessions with its open check-ins.",
  needs: "anyone",
  kind: "read",
  tool: "listed",
  input: z.object({ sessionUuid }),
  output: SessionRow.extend({
    checkins: z.array(stay),
    activeCheckins: z.array(stay),
    sessionTaskCheckins: z.array(stay),
  }),
})

export const createSession = signature({
  name: "chorus_create_session",
  does: "Open a session of yours; reuse finds one of that name again.",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z.object({
    name: line(120),
    description: prose(4000).optional(),
    reuse: z.boolean().optional(),
    source: line(40).optional(),
    externalId: line(200).optional(),
    machine: line(120).optional(),
    parentSessionUuid: SessionId.optional(),
  }),
  output: SessionRow.extend({ action: z.enum(["created", "reused", "reopened"]) }),
})

export const closeSession = signature({
  name: "chorus_close_session",
  does: "Close a session and check it out everywhere.",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z.object({ sessionUuid }),
  output: SessionRow,
})

export const reopenSession = signature({
  name: "chorus_reopen_session",
  does: "Open a closed session again.",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z.object({ sessionUuid }),
  output: SessionRow,
})

export const checkIn = signature({
  name: "chorus_session_checkin_task",
  does: "Say that a session works on a task; claims it if nobody holds it.",
  needs: "task:read",
  kind: "write",
  tool: "listed",
  input: z.object({ sessionUuid, taskUuid: TaskId }),
  output: CheckinRow.extend({ checkedInAt: z.string(), claimed: z.boolean() }),
})

export const checkOut = signature({
  name: "chorus_session_checkout_task",
  does: "Say that a session stopped working on a task.",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z.object({ sessionUuid, taskUuid: TaskId }),
  output: z.object({
    sessionUuid: z.string(),
    taskUuid: z.string(),
    checkedOut: z.boolean(),
    checkoutAt: z.string().nullable(),
  }),
})

export const heartbeat = signature({
  name: "chorus_session_heartbeat",
  does: "Say that a session is alive.",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z.object({ sessionUuid }),
  output: z.object({ uuid: z.string(), status: SessionStatus, lastActiveAt: z.string() }),
})
