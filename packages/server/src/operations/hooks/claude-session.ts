import { basename } from "node:path"
import type { HookEvent, sessions } from "@chorus/contracts"
import { lock } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { type SessionRecord, touch } from "../sessions/session-record.ts"
import { close, findOrOpen, reopen } from "../sessions/sessions.ts"
import { heardLately } from "../task-work/settings.ts"
import { cleanLine, wordsOf } from "./event-field.ts"

const SOURCE = "claude-code"
const PROGRAMS = {
  claude: { source: SOURCE, name: "Claude Code" },
  codex: { source: "codex", name: "Codex" },
  opencode: { source: "opencode", name: "OpenCode" },
} as const
const MARK = /<chorus session="([0-9a-f-]{36})"(?: life="(\d{1,9})")?>/g

interface NewChild {
  readonly name: string
  readonly agentType: string
  /** How its call is made, where that was heard; null where only its end will tell. */
  readonly spawn?: sessions.Spawn | null
  /**
   * Whether it takes up a session of its name in which nobody is: any of the agent's, or one that its lead started and
   * that has ended.
   */
  readonly again?: "anywhere" | "here"
  /** Told when it is over; a terminal that has been closed since stays closed. */
  readonly afterwards?: boolean
}

/** The session of a terminal: one for each session of the program, found again whenever that comes back. */
export async function mainSession(context: OperationContext, event: HookEvent): Promise<SessionRecord> {
  const place = basename(event.cwd ?? "").trim()
  const { source, name: program } = programOf(event)
  const name = cleanLine(place === "" ? program : `${program} in ${place}`, 120)
  const { session } = await findOrOpen(context, { name, source, externalId: mainKey(event), ...processOf(event) })
  return runBy(context, session, event)
}

/** Keeps which process it runs in; a session that comes back does so in another. */
export async function runBy(
  context: OperationContext,
  session: SessionRecord,
  event: HookEvent,
): Promise<SessionRecord> {
  const { machine, process = session.process } = processOf(event)
  return process === session.process ? session : change(context, session, { machine: machine ?? null, process })
}

function processOf({ machine = "", process }: HookEvent): { machine?: string; process?: string } {
  return process === undefined ? {} : { machine: cleanLine(machine, 120), process: cleanLine(process, 120) }
}

/** The same without opening it. */
export async function findMain(context: OperationContext, event: HookEvent): Promise<SessionRecord | undefined> {
  return mine(context).where("externalId", "=", mainKey(event)).executeTakeFirst()
}

/** The session of a sub-agent, under the id of the call that spawned it or, once that is known, the agent's own. */
export async function openChild(
  context: OperationContext,
  event: HookEvent,
  id: string,
  { name, agentType, spawn, again, afterwards = false }: NewChild,
): Promise<SessionRecord> {
  const main = (afterwards ? await findMain(context, event) : undefined) ?? (await mainSession(context, event))
  const caller = spawn === undefined ? undefined : ((await findAgent(context, event)) ?? main)
  const input = {
    name: cleanLine(name, 120) || "sub-agent",
    agentType: cleanLine(agentType, 300),
    spawn: spawn ?? null,
    spawnedByUuid: caller?.uuid ?? null,
    source: programOf(event).source,
    ...(main.process === null ? {} : { machine: main.machine ?? "", process: main.process }),
    externalId: childKey(event, id),
    parentSessionUuid: main.uuid,
  }
  const free = again === undefined ? undefined : await freeNamesake(context, input.name, main, again)
  if (free === undefined) return (await findOrOpen(context, input)).session
  const { parentSessionUuid: parentUuid, name: _, ...rest } = input
  const left: Former[] =
    free.externalId === null ? [] : [{ id: free.externalId, until: context.now, heard: free.lastWords !== null }]
  const formerIds = JSON.stringify([...formersOf(free), ...left])
  const known = await change(context, free, { ...rest, parentUuid, formerIds, lastWords: null, claimedTaskUuid: null })
  return (await revive(context, known)).session
}

/**
 * One that somebody opened by its name beforehand, or that nobody has heard from, if nobody is at work in it; else one
 * that has ended. While a namesake runs, its session is its own.
 */
async function freeNamesake(
  context: OperationContext,
  name: string,
  main: SessionRecord,
  where: "anywhere" | "here",
): Promise<SessionRecord | undefined> {
  // Several that start at once each take up another one.
  await lock(context, `sessions-of:${context.actor.uuid}`)
  const namesakes = mine(context).where("name", "=", name).where("supersededByUuid", "is", null)
  const ended = namesakes
    .where("source", "=", main.source)
    .where("parentUuid", "is not", null)
    .where("status", "=", "closed")
    .orderBy("closedAt", "desc")
  if (where === "here") return ended.where("parentUuid", "=", main.uuid).executeTakeFirst()
  const atWork = context.db.selectFrom("checkins").select("sessionUuid").where("checkoutAt", "is", null)
  const heard = await heardLately(context)
  const left = namesakes
    .where("status", "=", "active")
    .where("uuid", "not in", atWork)
    .where(({ or, and, eb, not }) =>
      or([
        eb("externalId", "is", null),
        and([not(heard), eb("source", "=", main.source), eb("parentUuid", "is not", null)]),
      ]),
    )
    .orderBy("createdAt", "desc")
  return (await left.executeTakeFirst()) ?? ended.executeTakeFirst()
}

/** One that was in a session before another of its name took that up. */
interface Former {
  /** By which it was found; kept from 0.21 on. */
  readonly id?: string | undefined
  readonly until: string
  /** Whether it has said its last words. */
  readonly heard: boolean
}

/** The former self of a session that an event is about, and what to keep of it now that it has spoken, or has not. */
export async function formerSelf(context: OperationContext, event: HookEvent, speaks: boolean) {
  const { session, life } = await sessionInMark(context, wordsOf(event.transcript_head))
  if (session === undefined) return undefined
  const formers = formersOf(session)
  const former = formers[life]
  if (former === undefined) return undefined
  const id = event.agent_id === undefined ? former.id : childKey(event, event.agent_id)
  const formerIds = JSON.stringify(formers.with(life, { ...former, id, heard: former.heard || speaks }))
  const stayed = { from: formers[life - 1]?.until ?? "", until: former.until }
  return { session, heard: former.heard, stayed, formerIds }
}

/** The agent of an event in a session that another has taken up since, and when it was there. */
export async function formerAgent(context: OperationContext, event: HookEvent) {
  const id = childKey(event, event.agent_id ?? "")
  const session = await mine(context)
    .where("formerIds", "like", `%${JSON.stringify(id)}%`)
    .executeTakeFirst()
  const formers = session === undefined ? [] : formersOf(session)
  const life = formers.findLastIndex((former) => former.id === id)
  const until = formers[life]?.until
  return session === undefined || until === undefined
    ? undefined
    : { session, stayed: { from: formers[life - 1]?.until ?? "", until } }
}

/** When whoever is in the session now took it up. */
export function takenUpAt(session: SessionRecord): string {
  return formersOf(session).at(-1)?.until ?? ""
}

function formersOf({ formerIds }: SessionRecord): Former[] {
  const kept = formerIds === null ? [] : (JSON.parse(formerIds) as (Former | string | null)[])
  // Up to 0.20 only ids were kept, of some who had been heard; no mark speaks of those.
  return kept.filter((one) => typeof one === "object" && one !== null)
}

export async function findChild(
  context: OperationContext,
  event: HookEvent,
  id: string,
): Promise<SessionRecord | undefined> {
  return mine(context).where("externalId", "=", childKey(event, id)).executeTakeFirst()
}

/** The sub-agent that an event comes from; nobody where it is the terminal's own. */
export async function findAgent(context: OperationContext, event: HookEvent): Promise<SessionRecord | undefined> {
  const { agent_id: id } = event
  return id === undefined || id === "" ? undefined : findChild(context, event, id)
}

export async function findOwn(context: OperationContext, uuid: string): Promise<SessionRecord | undefined> {
  return mine(context).where("uuid", "=", uuid).executeTakeFirst()
}

export async function childrenOf(context: OperationContext, main: SessionRecord): Promise<SessionRecord[]> {
  return mine(context).where("parentUuid", "=", main.uuid).where("status", "=", "active").execute()
}

/** What runs in the background outlives the session that it began in, and nobody waits for it. */
export function isWaitedFor({ spawn, externalId }: SessionRecord): boolean {
  return spawn === "foreground" || externalId?.includes("/toolu_") === true
}

/** A terminal that was cleared goes on as another session of the same program, which runs what the one before began. */
export async function takeOver(context: OperationContext, main: SessionRecord): Promise<void> {
  if (main.process === null) return
  const before = await mine(context)
    .where("uuid", "!=", main.uuid)
    .where("parentUuid", "is", null)
    .where("status", "=", "closed")
    .where("machine", "=", main.machine)
    .where("process", "=", main.process)
    .execute()
  for (const former of before)
    for (const child of await childrenOf(context, former)) {
      const id = child.externalId?.split("/").at(-1)
      await change(context, child, {
        parentUuid: main.uuid,
        externalId: id === undefined ? null : `${main.externalId}/${id}`,
        ...(child.spawnedByUuid === former.uuid ? { spawnedByUuid: main.uuid } : {}),
      })
    }
}

/**
 * The member of a team by its name; a member in a pane of its own is a session of its own and names the lead's only by
 * its first letters.
 */
export async function findMember(context: OperationContext, event: HookEvent): Promise<SessionRecord | undefined> {
  if (event.teammate_name === undefined) return undefined
  const lead = /^session-([0-9a-f]{8})$/.exec(event.team_name ?? "")?.[1]
  const prefix = lead === undefined ? `${mainKey(event)}/` : `${SOURCE}:${lead}`
  const members = mine(context)
    .where("name", "=", cleanLine(event.teammate_name, 120))
    .where("parentUuid", "is not", null)
    .orderBy("createdAt", "desc")
  const member = await members.where("externalId", "like", `${prefix}%`).executeTakeFirst()
  if (member !== undefined || lead !== undefined) return member
  // A team of February's has a name of its own; its member in a pane is known by its own name where only one goes by
  // it.
  const namesakes = await members.where("spawn", "=", "teammate").where("status", "=", "active").execute()
  return namesakes.length === 1 ? namesakes[0] : undefined
}

/**
 * The member of a team in its lead's process that goes by its name: February's program gives it another id with every
 * turn.
 */
export async function findByName(context: OperationContext, event: HookEvent): Promise<SessionRecord | undefined> {
  const main = await findMain(context, event)
  if (main === undefined) return undefined
  return mine(context)
    .where("parentUuid", "=", main.uuid)
    .where("spawn", "=", "teammate")
    .where("name", "=", cleanLine(event.agent_type ?? "", 120))
    .orderBy("createdAt", "desc")
    .executeTakeFirst()
}

/** The member of a team that a terminal is the pane of, once that is known. */
export async function memberInPane(
  context: OperationContext,
  main: SessionRecord | undefined,
): Promise<SessionRecord | undefined> {
  const uuid = main?.spawnedByUuid ?? undefined
  return uuid === undefined ? undefined : findOwn(context, uuid)
}

/** The session a prompt was marked with; the last mark counts, because an agent may hand its own prompt on. */
export async function markedSession(
  context: OperationContext,
  event: HookEvent,
  prompt: string,
): Promise<SessionRecord | undefined> {
  const { session, life } = await sessionInMark(context, prompt)
  if (session === undefined || life < formersOf(session).length) return undefined
  return session.externalId?.startsWith(`${mainKey(event)}/`) ? session : undefined
}

/** The member of a team that a prompt was marked for, whichever terminal it came to. */
export async function memberInMark(context: OperationContext, prompt: string): Promise<SessionRecord | undefined> {
  const { session, life } = await sessionInMark(context, prompt)
  return session?.spawn === "teammate" && life === formersOf(session).length ? session : undefined
}

async function sessionInMark(context: OperationContext, prompt: string) {
  const [, uuid, life = "0"] = [...prompt.matchAll(MARK)].at(-1) ?? []
  return { session: uuid === undefined ? undefined : await findOwn(context, uuid), life: Number(life) }
}

/** Words for the agent in a session; of several that were in it one after another, each is known by its life. */
export function mark(session: SessionRecord, words: string): string {
  const life = formersOf(session).length
  return `<chorus session="${session.uuid}"${life === 0 ? "" : ` life="${life}"`}>\n${words}\n</chorus>`
}

/**
 * From now on the session is found by the agent's own id. One that was opened under that id before anybody could know
 * is closed.
 */
export async function bind(
  context: OperationContext,
  event: HookEvent,
  session: SessionRecord,
  agentId: string,
): Promise<SessionRecord> {
  const externalId = childKey(event, agentId)
  if (session.externalId === externalId) return session
  const other = await findChild(context, event, agentId)
  if (other !== undefined)
    await close(context, await change(context, other, { externalId: null, supersededByUuid: session.uuid }))
  return change(context, session, { externalId })
}

/** Sub-agents that have been announced and whose own ids nobody has told yet. */
export async function awaitedOf(context: OperationContext, main: SessionRecord): Promise<SessionRecord[]> {
  return mine(context)
    .where("parentUuid", "=", main.uuid)
    .where("status", "=", "active")
    .where("externalId", "like", `${main.externalId}/toolu_%`)
    .execute()
}

/** A sign of life, also from the dead: an agent that was sent another message goes on under its old session. */
export async function revive(
  context: OperationContext,
  session: SessionRecord,
): Promise<{ session: SessionRecord; reopened: boolean }> {
  if (session.status === "active") return { session: await touch(context, session), reopened: false }
  return { session: await reopen(context, session), reopened: true }
}

export async function change(
  context: OperationContext,
  session: SessionRecord,
  changes: Partial<
    Pick<
      SessionRecord,
      | "externalId"
      | "lastWords"
      | "spawn"
      | "claimedTaskUuid"
      | "supersededByUuid"
      | "spawnedByUuid"
      | "machine"
      | "process"
      | "formerIds"
      | "parentUuid"
      | "agentType"
      | "source"
    >
  >,
): Promise<SessionRecord> {
  const { db, now, emit } = context
  const { process: _, formerIds: __, ...told } = changes
  const changed = await db
    .updateTable("sessions")
    .set({ ...changes, updatedAt: now })
    .where("uuid", "=", session.uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  emit({
    kind: "session.updated",
    entityType: "session",
    entityUuid: session.uuid,
    projectUuid: null,
    action: "updated",
    patch: { ...told, updatedAt: now },
  })
  return changed
}

/**
 * Members of a team that run in their lead's process start and stop on every turn. Their spawn says what they are, and
 * whenever they idle.
 */
export async function knowTeammate(context: OperationContext, session: SessionRecord): Promise<SessionRecord> {
  return session.spawn === "teammate" ? session : change(context, session, { spawn: "teammate" })
}

function mine({ db, actor }: OperationContext) {
  return db.selectFrom("sessions as s").selectAll().where("agentUuid", "=", actor.uuid)
}

function programOf(event: HookEvent): (typeof PROGRAMS)[keyof typeof PROGRAMS] {
  return PROGRAMS[event.program ?? "claude"]
}

function mainKey(event: HookEvent): string {
  return `${programOf(event).source}:${event.session_id}`.slice(0, 100)
}

function childKey(event: HookEvent, id: string): string {
  return `${mainKey(event)}/${id}`.slice(0, 200)
}
