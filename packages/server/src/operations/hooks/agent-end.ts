import type { HookEvent, HookOutput } from "@chorus/contracts"
import { holds } from "@chorus/core"
import type { OperationContext } from "../../operation.ts"
import { selectCheckins } from "../sessions/checkin-end.ts"
import type { SessionRecord } from "../sessions/session-row.ts"
import { closeSession } from "../sessions/sessions.ts"
import { criteriaOf } from "../tasks/criterion-row.ts"
import { findTask } from "../tasks/task-row.ts"
import { finishTask } from "../work/finish-task.ts"
import { addReport } from "../work/report-entry.ts"
import { bind, change, findChild, isTeammate, markedSession, openChild, revive } from "./claude-session.ts"
import { lastWordsOf, wordsOf } from "./event-field.ts"
import { namedTask } from "./named-task.ts"
import { isHelper } from "./spawn.ts"
import { standingOf } from "./standing.ts"
import { takeUp } from "./take-up.ts"

/** A sub-agent has ended: what it said last is its report, it is checked out, and its session closed. A teammate has only ended a turn. */
export async function agentStopped(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  if (event.agent_id === undefined || event.agent_id === "" || event.agent_type === "") return {}
  const found = await sessionOf(context, event, event.agent_id)
  if (found === undefined) return {}
  const words = lastWordsOf(event)
  const session = words === "" ? found : await change(context, found, { lastWords: words.slice(0, 4000) })
  if (isTeammate(event)) {
    await revive(context, session)
    return {}
  }
  if (session.status === "closed") return {}
  await handIn(context, session, words)
  await closeSession.run(context, { sessionUuid: session.uuid })
  const news = await standingOf(context, session)
  return news === "" ? {} : { systemMessage: news }
}

/** Whatever the session is at work on gets these words as its report, and is handed in if they say that it is done. */
export async function handIn(context: OperationContext, session: SessionRecord, words: string): Promise<void> {
  const stays = await selectCheckins(context.db).where("c.sessionUuid", "=", session.uuid).where("c.checkoutAt", "is", null).execute()
  for (const { taskUuid } of stays) {
    const task = await findTask(context.db, taskUuid)
    if (words === "" || !holds(context.actor, task) || !context.actor.permissions.has("task:write")) continue
    if (task.status === "in_progress" && isDone(words)) {
      await finishTask.run(context, { taskUuid, report: words, criteria: await selfChecks(context, taskUuid, words), sessionUuid: session.uuid })
    } else {
      await addReport(context, task, words, session.uuid)
    }
  }
}

/** By the mark in the prompt it was given, else by its own id; one that nobody could announce is told of afterwards, all at once. */
async function sessionOf(context: OperationContext, event: HookEvent, agentId: string): Promise<SessionRecord | undefined> {
  const prompt = wordsOf(event.transcript_head)
  const marked = await markedSession(context, event, prompt)
  if (marked !== undefined) return bind(context, event, marked, agentId)
  const known = await findChild(context, event, agentId)
  if (known !== undefined) return known
  const type = event.agent_type ?? "general-purpose"
  const task = await namedTask(context, prompt)
  if (isTeammate(event) || (task === undefined && (isHelper(type) || prompt === ""))) return undefined
  const late = await openChild(context, event, agentId, { name: type, description: type })
  if (task !== undefined) await takeUp(context, task, late)
  return late
}

function isDone(words: string): boolean {
  return /^[\s*_#>`]*DONE\b/.test(words)
}

/** The lines `[x] 1 evidence` of a report, for the criteria as they were numbered in the brief. */
async function selfChecks(context: OperationContext, taskUuid: string, words: string) {
  const items = await criteriaOf(context.db, taskUuid)
  const lines = [...words.matchAll(/^\s*(?:[-*]\s*)?\[([ xX])\]\s*(\d{1,3})\b[.:)]?\s*(.*)$/gm)]
  return items.flatMap((item, at) => {
    const line = lines.findLast((match) => Number(match[2]) === at + 1)
    if (line === undefined) return []
    const evidence = (line[3] ?? "").trim().slice(0, 20_000)
    return [{ uuid: item.uuid, devStatus: line[1] === " " ? ("failed" as const) : ("passed" as const), ...(evidence === "" ? {} : { devEvidence: evidence }) }]
  })
}
