import { type criteria, CriterionId, type HookEvent, type HookOutput } from "@chorus/contracts"
import { holds } from "@chorus/core"
import type { OperationContext } from "../../operation.ts"
import { checkOutAll, LOST, selectCheckins, type SessionRecord } from "../sessions/session-record.ts"
import { close } from "../sessions/sessions.ts"
import { selfCheck } from "../tasks/criterion-marks.ts"
import { criteriaOf, findTask } from "../tasks/task-record.ts"
import { release, submit } from "../tasks/task-life.ts"
import { addReport } from "../task-work/report-entry.ts"
import {
  awaitedOf,
  bind,
  change,
  findByName,
  findChild,
  findMain,
  formerSelf,
  knowTeammate,
  mainSession,
  markedSession,
  openChild,
  revive,
  takenUpAt,
} from "./claude-session.ts"
import { lastWordsOf, wordsOf } from "./event-field.ts"
import { isHelper } from "./helper-agent.ts"
import { namedTask } from "./named-task.ts"
import { standingOf } from "./standing.ts"
import { takeUp } from "./take-up.ts"

export const MOST_LAST_WORDS = 4000
/** Its transcript says what was used. */
export const COUNTS = { chorus: { counts: true } } as const

/**
 * A sub-agent has ended: what it said last is its report, it is checked out, and its session closed. A teammate has
 * only ended a turn.
 */
export async function agentStopped(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  if (event.agent_id === undefined || event.agent_id === "" || event.agent_type === "") return {}
  const words = lastWordsOf(event)
  if (event.awaits_words === true && words === "") {
    // The terminal may end before these words come; it has to be known for its end to count.
    if ((await findMain(context, event)) === undefined) await mainSession(context, event)
    return { chorus: { needs: "words" } }
  }
  const former = await formerSelf(context, event, words !== "")
  if (former !== undefined) {
    const { session, heard, stayed, formerIds } = former
    const now = formerIds === session.formerIds ? session : await change(context, session, { formerIds })
    if (!heard && words !== "") await handIn(context, now, words, stayed)
    return COUNTS
  }
  const known = await sessionOf(context, event, event.agent_id)
  if (known === undefined) return (await isAwaitedElsewhere(context, event)) ? COUNTS : { chorus: { needs: "prompt" } }
  if (isTeammate(known, event)) {
    const mate = await knowTeammate(context, known)
    // The turn in which one agreed to be shut down ends afterwards; that is no sign of life.
    const member = mate.status === "closed" ? mate : (await revive(context, mate)).session
    return { ...(await memberReported(context, member, words)), ...COUNTS }
  }
  // Where nobody heard its call return, only this says that nobody waits for it.
  const isNews = isBehind(event) && known.spawn !== "background"
  const found = isNews ? await change(context, known, { spawn: "background" }) : known
  // Its lead heard what it came to when the call returned.
  if (found.status === "closed" && found.spawn === "foreground" && found.lastWords !== null) return COUNTS
  await saidLast(context, found, words)
  if (found.status === "active") await close(context, found)
  const news = await standingOf(context, found)
  const awaited = isAwaited(found) ? { awaited: true } : {}
  return { ...(news === "" ? {} : { systemMessage: news }), chorus: { ...COUNTS.chorus, ...awaited } }
}

/** Whether the program counts the agent among what runs behind a turn; the newer ones say so at its end too. */
function isBehind({ agent_id, background_tasks = [] }: HookEvent): boolean {
  return background_tasks.some(({ id, type }) => type === "subagent" && id === agent_id)
}

/**
 * Whether the call that spawned it has not returned yet: only then is it not known how it was spawned, and nothing was
 * heard of it.
 */
function isAwaited({ spawnedByUuid, spawn, lastWords }: SessionRecord): boolean {
  return spawnedByUuid !== null && (spawn === null || spawn === "foreground") && lastWords === null
}

/**
 * A member of a team has ended a turn. It keeps its task over many of them and hands it in as a sub-agent does: by a
 * turn that ends with the words of a report.
 */
export async function memberReported(
  context: OperationContext,
  member: SessionRecord,
  words: string,
): Promise<HookOutput> {
  if (words === "") return {}
  await change(context, member, { lastWords: words.slice(0, MOST_LAST_WORDS) })
  if (!isReport(words)) return {}
  await handIn(context, member, words)
  const news = await standingOf(context, member)
  return news === "" ? {} : { systemMessage: news }
}

/** Whether the words are a report, as the closing rules ask for it. */
export function isReport(words: string): boolean {
  return /^[\s*_#>`]*(DONE|UNFINISHED)\b/.test(words)
}

/** Its model failed a sub-agent: nothing else tells of its end, or the end tells what the program said in its place. */
export async function agentFailed(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const { agent_id: id = "" } = event
  if (id === "") return {}
  const session = await findChild(context, event, id)
  if (session?.status === "active" && !isTeammate(session, event)) await cameToNothing(context, session, LOST)
  return { chorus: { lost: [id] } }
}

/** What a sub-agent said last is its report, unless its program said it where the model failed. */
export async function saidLast(context: OperationContext, session: SessionRecord, words: string): Promise<void> {
  if (!/^API Error\b/.test(words)) return reportLast(context, session, words)
  if (session.status === "active")
    await cameToNothing(context, await change(context, session, { lastWords: words.slice(0, MOST_LAST_WORDS) }), LOST)
}

/** Nobody is at work under it any more, and a task that was taken for it alone is free again. */
export async function cameToNothing(
  context: OperationContext,
  session: SessionRecord,
  reason?: typeof LOST,
): Promise<void> {
  if (session.claimedTaskUuid !== null) {
    const task = await findTask(context.db, session.claimedTaskUuid)
    if (task.assigneeUuid === context.actor.uuid && task.status === "in_progress") await release(context, task)
  }
  await close(context, session, reason)
}

/** Keeps what a session said last, once; it may come after the session was closed, as old versions tell it late. */
export async function reportLast(context: OperationContext, session: SessionRecord, words: string): Promise<void> {
  if (words === "" || (session.status === "closed" && session.lastWords !== null)) return
  await change(context, session, { lastWords: words.slice(0, MOST_LAST_WORDS) })
  await handIn(context, session, words)
}

/**
 * Whatever the session is at work on gets these words as its report, and is handed in if they say that it is done. One
 * that has left it to another of its name hands nothing in that somebody is at again.
 */
export async function handIn(
  context: OperationContext,
  session: SessionRecord,
  words: string,
  former?: { readonly from: string; readonly until: string },
): Promise<void> {
  const { db, actor } = context
  const over = former !== undefined || session.status === "closed"
  const stays = await selectCheckins(db)
    .where("c.sessionUuid", "=", session.uuid)
    .where("c.checkinAt", ">=", former?.from ?? takenUpAt(session))
    .where(({ or, and, eb }) =>
      and([
        or([eb("c.checkoutAt", "is", null), ...(over ? [eb("c.checkoutReason", "in", ["session_closed", LOST])] : [])]),
        ...(former === undefined ? [] : [eb("c.checkinAt", "<", former.until)]),
      ]),
    )
    .execute()
  for (const taskUuid of new Set(stays.map((stay) => stay.taskUuid))) {
    const task = await findTask(db, taskUuid)
    if (!holds(actor, task) || !actor.permissions.has("task:write")) continue
    const finished =
      task.status === "in_progress" && isDone(words) && !(former !== undefined && (await isAtWork(context, taskUuid)))
    const checks = finished ? await selfChecks(context, taskUuid, words) : []
    if (checks.length > 0) await selfCheck(context, task, checks)
    await addReport(context, task, words, session.uuid)
    if (!finished) continue
    // Whoever asked is gone; the question stays open beside the work.
    await submit(context, task, { insist: true })
    await checkOutAll(context, { taskUuid }, "task_submitted")
  }
}

async function isAtWork({ db }: OperationContext, taskUuid: string): Promise<boolean> {
  const stay = db.selectFrom("checkins").select("uuid").where("taskUuid", "=", taskUuid).where("checkoutAt", "is", null)
  return (await stay.executeTakeFirst()) !== undefined
}

/**
 * By the mark in the prompt it was given, else by its own id; one that nobody could announce is told of afterwards, all
 * at once.
 */
async function sessionOf(
  context: OperationContext,
  event: HookEvent,
  agentId: string,
): Promise<SessionRecord | undefined> {
  const prompt = wordsOf(event.transcript_head)
  const marked = await markedSession(context, event, prompt)
  if (marked !== undefined) return bind(context, event, marked, agentId)
  const known = await findChild(context, event, agentId)
  if (known !== undefined) return known
  const member = prompt.startsWith("<teammate-message") ? await findByName(context, event) : undefined
  if (member !== undefined) return member
  const type = event.agent_type ?? "general-purpose"
  const { task } = await namedTask(context, prompt)
  if (task === undefined && (isHelper(type) || prompt === "")) return undefined
  const late = await openChild(context, event, agentId, { name: type, agentType: type, afterwards: true })
  if (task !== undefined) await takeUp(context, task, late)
  return late
}

/**
 * A spawn in the foreground tells everything when its call returns; and whoever has told the prompt has nothing to add.
 */
async function isAwaitedElsewhere(context: OperationContext, event: HookEvent): Promise<boolean> {
  if (event.transcript_head !== undefined || isHelper(event.agent_type ?? "")) return true
  if (isBehind(event)) return false
  const main = await findMain(context, event)
  const awaited = main === undefined ? [] : await awaitedOf(context, main)
  return awaited.length > 0 && awaited.every((session) => session.spawn === "foreground")
}

/**
 * Its spawn may not have been told of to the end yet; but only a member of a team goes by its name instead of its type.
 */
function isTeammate({ spawn, name, agentType }: SessionRecord, event: HookEvent): boolean {
  return spawn === "teammate" || (event.agent_type === name && agentType !== name)
}

function isDone(words: string): boolean {
  return /^[\s*_#>`]*DONE\b/.test(words)
}

/** The lines `[x] 1 evidence` of a report, for the criteria as they were numbered in the brief. */
async function selfChecks(context: OperationContext, taskUuid: string, words: string): Promise<criteria.SelfCheck[]> {
  const items = await criteriaOf(context.db, taskUuid)
  const lines = [...words.matchAll(/^\s*(?:[-*]\s*)?\[([ xX])\]\s*(\d{1,3})\b[.:)]?\s*(.*)$/gm)]
  return items.flatMap((item, at) => {
    const line = lines.findLast((match) => Number(match[2]) === at + 1)
    if (line === undefined) return []
    const evidence = (line[3] ?? "").trim().slice(0, 20_000)
    const exitCode = /\bexit(?:ed)?(?: code| status)?(?: with)?[ :=]*(\d{1,3})\b/i.exec(evidence)?.[1]
    const passed = line[1] !== " "
    // A command passes by its exit code; without one nobody has checked it.
    if (passed && item.command !== null && exitCode !== "0") return []
    return [
      {
        uuid: CriterionId.parse(item.uuid),
        devStatus: passed ? ("passed" as const) : ("failed" as const),
        ...(evidence === "" ? {} : { devEvidence: evidence }),
        ...(item.command === null || exitCode === undefined ? {} : { exitCode: Number(exitCode) }),
      },
    ]
  })
}
