import type { HookEvent, HookOutput, sessions } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import { LOST, selectCheckins, type SessionRecord, touch } from "../sessions/session-record.ts"
import { close } from "../sessions/sessions.ts"
import { findTask } from "../tasks/task-record.ts"
import {
  awaitedOf,
  bind,
  change,
  childrenOf,
  findByName,
  findChild,
  knowTeammate,
  mainSession,
  mark,
  markedSession,
  openChild,
  revive,
  takenUpAt,
} from "./claude-session.ts"
import { cameToNothing, saidLast } from "./agent-end.ts"
import { cleaned, fieldsOf, returnedWords, wordsOf } from "./event-field.ts"
import { isHelper } from "./helper-agent.ts"
import { namedTask } from "./named-task.ts"
import { standingOf } from "./standing.ts"
import { takeUp } from "./take-up.ts"

const AWAITED_MS = 60_000

/**
 * Before a spawn: the session is opened and put to work on the task the prompt names, and both are written into that
 * very prompt. Sub-agents that start at once cannot be told apart by what they say when they start; each can be by the
 * prompt it was given.
 */
export async function beforeSpawn(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const input = fieldsOf(event.tool_input)
  const prompt = input?.["prompt"]
  if (input === undefined || typeof prompt !== "string" || event.tool_use_id === undefined) return {}
  const type = textOr(input["subagent_type"], "general-purpose")
  const { task, note } = await namedTask(context, prompt, textOr(input["description"], ""))
  if (task === undefined && (isHelper(type) || mayBeSealed(event))) return {}
  const name = textOr(input["name"], textOr(input["description"], type))
  const spawn = howSpawned(event, input)
  const again = textOr(input["name"], "") === "" ? "here" : "anywhere"
  const session = await openChild(context, event, event.tool_use_id, { name, agentType: type, spawn, again })
  const taken = task === undefined ? undefined : await takeUp(context, task, session)
  if (task?.status === "open" && taken?.begun === true) await change(context, session, { claimedTaskUuid: task.uuid })
  const words = taken?.words ?? introduction(session, note)
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      updatedInput: { ...input, prompt: `${prompt}\n\n${mark(session, words)}` },
    },
  }
}

/**
 * After a spawn: its session gets the agent's id. A call that waited for the agent brings its last words too, and the
 * lead hears how the task stands.
 */
export async function afterSpawn(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const response = fieldsOf(event.tool_response)
  const agentId = textOr(response?.["agentId"], textOr(response?.["agent_id"], ""))
  const prompt = textOr(fieldsOf(event.tool_input)?.["prompt"], textOr(response?.["prompt"], ""))
  const spawned =
    (await markedSession(context, event, prompt)) ??
    (event.tool_use_id === undefined ? undefined : await findChild(context, event, event.tool_use_id))
  if (spawned === undefined) return {}
  if (response?.["status"] === "teammate_spawned") {
    await revive(context, await knowTeammate(context, spawned))
    return {}
  }
  const bound = agentId === "" ? spawned : await bind(context, event, spawned, agentId)
  const spawn = response?.["status"] === "completed" ? "foreground" : "background"
  const session = bound.spawn === spawn ? bound : await change(context, bound, { spawn })
  if (spawn === "background") return {}
  await saidLast(context, session, returnedWords(response))
  if (session.status === "active") await close(context, session)
  const news = await standingOf(context, session)
  return news === "" ? {} : { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: news } }
}

/** A spawn that came to nothing: nobody is at work, and a task taken only for it is free again. */
export async function spawnFailed(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const session = event.tool_use_id === undefined ? undefined : await findChild(context, event, event.tool_use_id)
  if (session?.status === "active") await cameToNothing(context, session)
  return {}
}

/**
 * The terminal's turn is over, so no call of its own is under way any more: a spawn that was refused in its dialog has
 * no other end. Where the program says what runs on behind the turn, a sub-agent that is not among it was stopped,
 * which no hook tells either.
 */
export async function settleSpawned(context: OperationContext, event: HookEvent, main: SessionRecord): Promise<void> {
  const agents = event.background_tasks?.filter(({ type, status }) => type === "subagent" && status === "running")
  const running = new Set(agents?.map(({ id }) => `${main.externalId}/${id}`))
  const children = await childrenOf(context, main)
  const isRunning = ({ externalId }: SessionRecord) => externalId !== null && running.has(externalId)
  const isCall = ({ externalId }: SessionRecord) => externalId?.startsWith(`${main.externalId}/toolu_`) === true
  const stopped = children.filter((child) => child.spawn === "background" && !isCall(child) && !isRunning(child))
  if (agents !== undefined) for (const child of stopped) await close(context, child, LOST)
  // A running agent whose call was not heard to return may be any of those that did not have to be waited for.
  const isUnclear = running.size > children.filter(isRunning).length
  for (const child of children.filter(isCall))
    if (
      child.spawnedByUuid === main.uuid &&
      (child.spawn === "foreground" || (child.spawn !== "teammate" && !isUnclear))
    )
      await cameToNothing(context, child)
}

/**
 * A sub-agent starts. Usually its prompt says all; here it is found again, or introduced where no spawn announced it.
 */
export async function agentStarted(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const { agent_id: agentId, agent_type: type } = event
  if (agentId === undefined || agentId === "" || type === undefined || type === "") return {}
  const known = await findChild(context, event, agentId)
  if (known !== undefined) {
    const { session, reopened } = await revive(context, known)
    return reopened && session.spawn !== "teammate" ? introduce(mark(session, await againAtWork(context, session))) : {}
  }
  const main = await mainSession(context, event)
  const announced = await announcedAs(context, event, main)
  if (announced !== undefined) {
    await bind(context, event, announced, agentId)
    return {}
  }
  const member = await findByName(context, event)
  if (member?.status === "active") {
    await touch(context, member)
    return {}
  }
  const since = new Date(Date.parse(context.now) - AWAITED_MS).toISOString()
  const announcedAt = (session: SessionRecord) => takenUpAt(session) || session.createdAt
  if (isHelper(type) || (await awaitedOf(context, main)).some((session) => announcedAt(session) > since)) return {}
  const session = await openChild(context, event, agentId, {
    name: lastPart(event.agent_path) ?? type,
    agentType: type,
  })
  return introduce(mark(session, introduction(session)))
}

/**
 * The spawn this start belongs to, where the start can tell: by the mark in its prompt, or by the name it was given.
 */
async function announcedAs(
  context: OperationContext,
  event: HookEvent,
  main: SessionRecord,
): Promise<SessionRecord | undefined> {
  const marked = await markedSession(context, event, wordsOf(event.transcript_head))
  const name = lastPart(event.agent_path)
  if (marked !== undefined || name === undefined) return marked
  return (await awaitedOf(context, main)).find((session) => session.name === name)
}

/**
 * Codex hands prompts on that only the model's maker can read; those are left as they are. One that names a task was
 * readable.
 */
function mayBeSealed(event: HookEvent): boolean {
  return event.program === "codex"
}

function lastPart(path: string | undefined): string | undefined {
  return path?.split("/").findLast((part) => part !== "")
}

/** An agent that was sent another message goes on with the task it had. */
async function againAtWork(context: OperationContext, session: SessionRecord): Promise<string> {
  const last = await selectCheckins(context.db)
    .where("c.sessionUuid", "=", session.uuid)
    .orderBy("c.checkinAt", "desc")
    .executeTakeFirst()
  if (last === undefined) return introduction(session)
  return (await takeUp(context, await findTask(context.db, last.taskUuid), session)).words
}

function introduction(session: SessionRecord, note?: string): string {
  return [
    ...(note === undefined ? [] : [note]),
    `You are on the Chorus board as "${session.name}". Your last message is kept there; nothing has to be tracked by hand.`,
    `If you take up a Chorus task, call chorus_start_task with sessionUuid "${session.uuid}".`,
  ].join("\n")
}

/** Versions differ in what they do with a call that does not say; whether it waited is known when it returns. */
function howSpawned(event: HookEvent, input: Readonly<Record<string, unknown>>): sessions.Spawn | null {
  const asked = input["run_in_background"]
  if (asked === undefined) return event.tool_name === "Task" ? "foreground" : null
  return asked === true ? "background" : "foreground"
}

function introduce(words: string): HookOutput {
  return { hookSpecificOutput: { hookEventName: "SubagentStart", additionalContext: words } }
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value.trim() !== "" ? cleaned(value, 2_000_000) : otherwise
}
