import type { EventOf, OutputOf, sessions, work } from "@chorus/contracts"
import { isOfTerminal, type Item, type Urgency, urgencyOf } from "../attention/decide.ts"
import type { Tone } from "../design/index.ts"
import type { TextKey } from "../i18n/language.ts"
import type { Follow } from "../live/live-store.ts"
import { SILENT_MS } from "./use-now.ts"

export type Presence = OutputOf<typeof work.getPresence>
export type PresentAgent = Presence["agents"][number]
export type PresentSession = PresentAgent["sessions"][number]

/** What somebody sees a session do; worked out from what is known, never guessed. */
export type Doing = "needsInput" | "working" | "resting" | "silent" | "finished"

export const DOING_TONE: Record<Doing, Tone> = {
  needsInput: "waiting",
  working: "progress",
  resting: "todo",
  silent: "todo",
  finished: "done",
}

export const DOING_LABEL: Record<Doing, TextKey> = {
  needsInput: "agents.doing.needsInput",
  working: "agents.doing.working",
  resting: "agents.doing.resting",
  silent: "agents.doing.silent",
  finished: "agents.doing.finished",
}

/**
 * A hand goes up before anything else; who is checked in or runs, works; who said nothing for long is silent. A sub-agent
 * lives for one piece of work, so it is at it, with a task or without; only a member of a team works in turns.
 */
export function doingOf(session: PresentSession): Doing {
  if (session.state === "needsInput") return "needsInput"
  if (session.status !== "active") return "silent"
  if (session.state === "finished") return "finished"
  if (session.state === "idle") return "resting"
  const isSubAgent = session.parentUuid !== null && session.spawn !== "teammate"
  return session.working.length > 0 || session.state === "running" || isSubAgent ? "working" : "resting"
}

/** Keeps who is there, and on what, in step with the log. */
export const followPresence: Follow<Presence> = {
  apply(answer, event) {
    if (event.entityType === "session") return withSession(answer, event)
    if (event.entityType === "checkin") return withStay(answer, event)
    if (event.entityType === "task") return withTask(answer, event)
    if (event.entityType === "agent") return withAgent(answer, event)
    return answer
  },
}

/** The titles of tasks that are in hand, to name what a session works on. */
export function tasksInHand(agents: readonly PresentAgent[]): ReadonlyMap<string, PresentAgent["inProgress"][number]> {
  return new Map(agents.flatMap(({ inProgress }) => inProgress.map((task) => [task.uuid, task] as const)))
}

const URGENCY: Record<Doing, number> = { needsInput: 0, working: 1, resting: 2, finished: 3, silent: 4 }

/** Those who need somebody first, then those at work, each in the order they came: nobody jumps about with every sign of life. */
export function sessionsInOrder(sessions: readonly PresentSession[]): PresentSession[] {
  return sessions.toSorted(
    (a, b) => URGENCY[doingOf(a)] - URGENCY[doingOf(b)] || compare(a.createdAt, b.createdAt) || compare(a.uuid, b.uuid),
  )
}

/** Since when somebody waits for a person: by the session that asked, or by its agent where none is named. */
export function waitingSince(items: readonly Item[]): ReadonlyMap<string, string> {
  const asking = items.filter((item) => !isOfTerminal(item) && STOPS.has(urgencyOf(item)))
  // The oldest come first, and the last of a name is kept.
  return new Map(
    asking.toReversed().map(({ attention, from, since }) => [attention?.sessionUuid ?? from?.uuid ?? "", since]),
  )
}

const STOPS = new Set<Urgency>(["blocks", "decide"])

/**
 * Who is there of an agent's at this moment. One whose program has no hooks opens no session: while it holds work that no
 * session has been at, it is there by its own name, and heard from whenever its key makes a call. Work whose session has
 * ended has nobody at it. What the agent asks without naming a session, its one session at rest waits for, else the agent
 * itself.
 */
export function peopleOf(
  { uuid, name, lastActiveAt, sessions: own, inProgress }: PresentAgent,
  now: number,
  waiting: ReadonlyMap<string, string> = new Map(),
): PresentSession[] {
  const isSilent = (at: string) => now - Date.parse(at) > SILENT_MS
  const asOf = (session: PresentSession, since = waiting.get(session.uuid)): PresentSession => ({
    ...session,
    ...(isSilent(session.lastActiveAt) ? { status: "inactive" } : {}),
    ...(since === undefined ? {} : { state: "needsInput", stateSince: since }),
  })
  const people = own.map((session) => asOf(session))
  const since = waiting.get(uuid)
  const atRest = people.filter((session) => session.parentUuid === null && doingOf(session) === "resting")
  if (since !== undefined && atRest.length === 1)
    return people.map((session) => (session === atRest[0] ? asOf(session, since) : session))
  const covered = new Set(own.flatMap(({ working }) => working.map(({ taskUuid }) => taskUuid)))
  const held = inProgress.filter((task) => !task.wasInSession && !covered.has(task.uuid))
  const heard = lastActiveAt ?? new Date(now).toISOString()
  const holds = held.length > 0 && own.every(({ working }) => working.length > 0)
  const asks = since !== undefined && (own.length === 0 ? !isSilent(heard) : atRest.length > 0)
  return holds || asks ? [...people, asOf(byItsKey({ uuid, name, lastActiveAt: heard, held }))] : people
}

/** The last sign of life of an agent or of any of its sessions, whose signs do not all count as the agent's. */
export function lastHeard({ lastActiveAt, sessions: own }: PresentAgent): string | undefined {
  return [lastActiveAt ?? "", ...own.map((session) => session.lastActiveAt)].filter(Boolean).toSorted().at(-1)
}

/** Whether somebody is there by the calls of its key alone, which the log does not tell. */
export function isByKey(session: PresentSession): boolean {
  return session.uuid === session.agentUuid
}

interface KeyHolder {
  readonly uuid: string
  readonly name: string
  readonly lastActiveAt: string
  readonly held: PresentAgent["inProgress"]
}

function byItsKey({ uuid, name, lastActiveAt, held }: KeyHolder): PresentSession {
  const stay = { sessionUuid: uuid, sessionName: name, agent: { type: "agent", uuid, name } as const }
  const since = { checkinAt: lastActiveAt, checkoutAt: null, checkoutReason: null }
  return {
    ...NO_SESSION,
    uuid,
    agentUuid: uuid,
    name,
    lastActiveAt,
    createdAt: lastActiveAt,
    updatedAt: lastActiveAt,
    working: held.map((task) => ({ ...stay, ...since, uuid: task.uuid, taskUuid: task.uuid })),
  }
}

const NO_SESSION = {
  status: "active",
  description: null,
  source: null,
  externalId: null,
  machine: null,
  parentUuid: null,
  agentType: null,
  spawn: null,
  spawnedByUuid: null,
  claimedTaskUuid: null,
  supersededByUuid: null,
  state: null,
  stateSince: null,
  stateDetail: null,
  lastWords: null,
  closedAt: null,
} as const

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function withAgent(answer: Presence, { kind, entityUuid, patch }: EventOf<"agent">): Presence | undefined {
  const { lastActiveAt } = patch
  if (kind !== "agent.checked_in" || lastActiveAt === undefined) return undefined
  if (!answer.agents.some(({ uuid }) => uuid === entityUuid)) return answer
  return mapAgent(answer, entityUuid, (agent) => ({ ...agent, lastActiveAt }))
}

function withSession(answer: Presence, event: EventOf<"session">): Presence | undefined {
  const { entityUuid, patch } = event
  const holder = answer.agents.find(({ sessions: all }) => all.some(({ uuid }) => uuid === entityUuid))
  if (holder === undefined && patch.status === "closed") return answer
  if (holder === undefined && event.action === "created") return added(answer, event.patch)
  if (holder === undefined) return patch.status === undefined ? answer : undefined
  if (patch.status === "closed")
    return mapAgent(answer, holder.uuid, (agent) => ({
      ...agent,
      sessions: agent.sessions.filter(({ uuid }) => uuid !== entityUuid),
    }))
  return mapSession(answer, entityUuid, (session) => ({ ...session, ...revived(patch), ...lastSign(session, patch) }))
}

/** A sign of life ends silence, also where the event says only when it came. */
function revived(patch: EventOf<"session">["patch"]): EventOf<"session">["patch"] {
  return patch.lastActiveAt !== undefined && patch.status === undefined ? { ...patch, status: "active" } : patch
}

/** Signs of life are not all in the log: one that is may be older than what is known. */
function lastSign({ lastActiveAt: known }: PresentSession, { lastActiveAt: told }: EventOf<"session">["patch"]) {
  return { lastActiveAt: told !== undefined && told > known ? told : known }
}

function added(answer: Presence, session: sessions.SessionRow): Presence | undefined {
  if (!answer.agents.some(({ uuid }) => uuid === session.agentUuid)) return undefined
  return mapAgent(answer, session.agentUuid, (agent) => ({
    ...agent,
    sessions: [{ ...session, working: [] }, ...agent.sessions],
  }))
}

function withStay(answer: Presence, event: EventOf<"checkin">): Presence | undefined {
  const { sessionUuid, checkoutAt } = event.patch
  const begins = event.action === "created" && checkoutAt === null
  if (!answer.agents.some(({ sessions: all }) => all.some(({ uuid }) => uuid === sessionUuid)))
    return begins ? undefined : answer
  const present = begins ? entered(answer, event.patch.taskUuid) : answer
  return mapSession(present, sessionUuid, (session) => {
    const others = session.working.filter(({ uuid }) => uuid !== event.entityUuid)
    return { ...session, working: begins ? [...others, event.patch] : others }
  })
}

function entered(answer: Presence, taskUuid: string): Presence {
  const known = (task: PresentAgent["inProgress"][number]) =>
    task.uuid === taskUuid ? { ...task, wasInSession: true } : task
  return { ...answer, agents: answer.agents.map((agent) => ({ ...agent, inProgress: agent.inProgress.map(known) })) }
}

function withTask(answer: Presence, { entityUuid, patch, action }: EventOf<"task">): Presence | undefined {
  if (action === "updated" && patch.status === undefined) return answer
  const inHand = answer.agents.some(({ inProgress }) => inProgress.some(({ uuid }) => uuid === entityUuid))
  if (patch.status === "in_progress") return inHand ? answer : undefined
  if (!inHand) return answer
  return {
    ...answer,
    agents: answer.agents.map((agent) => ({
      ...agent,
      inProgress: agent.inProgress.filter(({ uuid }) => uuid !== entityUuid),
    })),
  }
}

function mapAgent(answer: Presence, agentUuid: string, change: (agent: PresentAgent) => PresentAgent): Presence {
  return { ...answer, agents: answer.agents.map((agent) => (agent.uuid === agentUuid ? change(agent) : agent)) }
}

function mapSession(
  answer: Presence,
  sessionUuid: string | undefined,
  change: (session: PresentSession) => PresentSession,
): Presence {
  return {
    ...answer,
    agents: answer.agents.map((agent) =>
      agent.sessions.some(({ uuid }) => uuid === sessionUuid)
        ? {
            ...agent,
            sessions: agent.sessions.map((session) => (session.uuid === sessionUuid ? change(session) : session)),
          }
        : agent,
    ),
  }
}
