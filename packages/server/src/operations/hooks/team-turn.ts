import type { HookEvent, HookOutput } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import { checkOutAll, type SessionRecord, touch } from "../sessions/session-record.ts"
import { close } from "../sessions/sessions.ts"
import {
  change,
  findAgent,
  findByName,
  findMain,
  findMember,
  findOwn,
  knowTeammate,
  mainSession,
  memberInMark,
  memberInPane,
} from "./claude-session.ts"
import { cleaned, fieldsOf, lastWordsOf, wordsOf } from "./event-field.ts"
import { COUNTS, handIn, memberReported, MOST_LAST_WORDS } from "./agent-end.ts"
import { namedTask, taggedTask } from "./named-task.ts"

/**
 * A member of a team waits for its next message: a sign of life. One in a pane of its own is a terminal; who is in that
 * is told here at the latest, and what it said where its program left that to the transcript.
 */
export async function memberIdle(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const found = await sessionOf(context, event)
  const member = found && (await knowTeammate(context, found))
  // Nobody may have heard its pane begin.
  const main = (await findMain(context, event)) ?? (member && (await mainSession(context, event)))
  for (const session of [member, main]) if (session?.status === "active") await touch(context, session)
  const inPane = (event.agent_id ?? "") === "" && main !== undefined && main.uuid !== member?.parentUuid
  if (member === undefined || !inPane) return {}
  const words = lastWordsOf(event) || (main.lastWords ?? "")
  if (main.spawnedByUuid !== member.uuid || main.lastWords !== null)
    await change(context, main, { spawnedByUuid: member.uuid, lastWords: null })
  if (event.awaits_words === true && words === "") return { chorus: { needs: "words" } }
  return toLead(context, member, await memberReported(context, member, words))
}

/**
 * A terminal's turn has ended with a report. It may be a member of a team in a pane of its own, which hands in: the
 * prompt that it began with was marked for it. Where nobody knows yet, its transcript is asked for; who idles in it
 * will tell otherwise.
 */
export async function paneReported(
  context: OperationContext,
  event: HookEvent,
  main: SessionRecord,
  words: string,
): Promise<HookOutput> {
  const member = (await memberInPane(context, main)) ?? (await memberInMark(context, wordsOf(event.transcript_head)))
  if (member === undefined) {
    await change(context, main, { lastWords: words.slice(0, MOST_LAST_WORDS) })
    return event.transcript_head === undefined ? { chorus: { needs: "prompt" } } : {}
  }
  // It ends with its pane.
  if (main.spawnedByUuid === null) await change(context, main, { spawnedByUuid: member.uuid, lastWords: null })
  return toLead(context, member, await memberReported(context, member, words))
}

/** What a member in a pane of its own came to is news for its lead, whose terminal is another one. */
async function toLead(
  context: OperationContext,
  { parentUuid }: SessionRecord,
  { systemMessage: words }: HookOutput,
): Promise<HookOutput> {
  const lead = parentUuid === null ? undefined : await findOwn(context, parentUuid)
  const session = lead?.externalId?.split(":")[1]
  if (words === undefined || session === undefined) return COUNTS
  return { chorus: { ...COUNTS.chorus, lead: { session, words } } }
}

/** A member agrees to be shut down: it says so in a message and is gone. */
export async function memberLeaves(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const input = fieldsOf(event.tool_input) ?? {}
  const said = fieldsOf(input["message"]) ?? input
  if (said["type"] !== "shutdown_response" || said["approve"] !== true) return {}
  // February's program does not say who speaks; the request that is answered was made of somebody by name.
  const [, name] = /@([^@]+)$/.exec(String(said["request_id"])) ?? []
  const member =
    (await findAgent(context, event)) ??
    (await memberInPane(context, await findMain(context, event))) ??
    (await findByName(context, { ...event, agent_type: name }))
  if (member !== undefined) await close(context, member)
  return {}
}

/** A task of the program's own list is completed; where it is tagged `chorus:task:<uuid>`, so is that task's work. */
export async function taskCompleted(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const text = `${event.task_subject ?? ""}\n${event.task_description ?? ""}`
  if (taggedTask(text) === undefined) return {}
  const { task } = await namedTask(context, text)
  const session = (await sessionOf(context, event)) ?? (await findMain(context, event))
  if (task === undefined || session === undefined) return {}
  if (session.lastWords !== null || event.task_subject !== undefined) {
    await handIn(context, session, cleaned(`DONE: ${event.task_subject ?? ""}\n\n${session.lastWords ?? ""}`))
  }
  await checkOutAll(context, { sessionUuid: session.uuid, taskUuid: task.uuid }, "checked_out")
  return {}
}

async function sessionOf(context: OperationContext, event: HookEvent) {
  return (await findAgent(context, event)) ?? findMember(context, event)
}
