import type { attentions, HookEvent, HookOutput } from "@chorus/contracts"
import { answerWords, changeAsked, changeDecided } from "@chorus/core"
import type { OperationContext } from "../../operation.ts"
import {
  askPeople,
  attentionRowOf,
  findAttention,
  leaveToTerminal,
  markDelivered,
  markUnheard,
  withdraw,
} from "../attentions/attentions.ts"
import { type SessionRecord, touch } from "../sessions/session-record.ts"
import { findAgent, findMain, mainSession } from "./claude-session.ts"
import { cleanLine, fieldsOf } from "./event-field.ts"
import { settleSpawned } from "./spawn.ts"
import { askedByServer, askedByTool, decisionFor } from "./tool-question.ts"

const NOT_ANSWERABLE_MINUTES = 30
/** For as long as Claude Code lets the hook program wait. */
const DIALOG_MINUTES = 7 * 24 * 60
const MOST_DETAIL = 20_000
/** Asked by the program, whose hook waits for the answer; what the agent asked by itself is told to it in words. */
const BY_PROGRAM = "hook"

/**
 * A permission prompt is on somebody's screen: it is shown on the page, and may be answered there while the hook waits.
 */
export async function permissionAsked(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const { answer_seconds: seconds = 0, dialog = false } = event
  const input = fieldsOf(event.tool_input) ?? {}
  const what = input["command"] ?? input["file_path"] ?? input["url"] ?? input["description"]
  const title = cleanLine(`${event.tool_name ?? "A tool"}${typeof what === "string" ? `: ${what}` : ""}`, 300)
  const asked = askedByTool(event) ?? { kind: "permission" as const, title, detail: detailOf(event, input) }
  const { uuid } = await ask(context, event, {
    ...asked,
    answerable: seconds > 0,
    expiresInMinutes: openMinutes(seconds, dialog),
  })
  return seconds > 0 || dialog ? { chorus: { attentionUuid: uuid, settled: false } } : {}
}

/**
 * Our hook program asks whether somebody has answered, says when it no longer takes an answer from the page, and at the
 * end that nobody is asked any more.
 */
export async function answerAwaited(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  if (event.attention_uuid === undefined) return { chorus: { settled: true } }
  const record = await findAttention(context, event.attention_uuid)
  const attentionUuid = record.uuid
  const asked = await attentionRowOf(context, record)
  const answered = asked.state === "answered" || (asked.state === "delivered" && record.requestId === BY_PROGRAM)
  const isOver = event.reason === "gave_up" || goesOnSince(event, record.createdAt)
  if (answered && isOver) {
    // Whoever gives up has told its program nothing, also where an answer was on its way to it.
    await markUnheard(context, record)
    return { chorus: { attentionUuid, settled: true } }
  }
  if (answered) {
    // Told each time: whether it arrived the first time only the hook program knows, and that asks no more then.
    await markDelivered(context, record)
    const decision = decisionFor(event, asked.answer, asked.answeredBy?.name ?? "A person")
    return {
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision },
      chorus: { attentionUuid, settled: true },
    }
  }
  if (asked.state === "open" && asked.answerable && event.reason === "late")
    await leaveToTerminal(context, record, DIALOG_MINUTES)
  if (asked.state === "open" && !isOver) return { chorus: { attentionUuid, settled: false } }
  if (asked.state === "open") await withdraw(context, record)
  return { chorus: { attentionUuid, settled: true } }
}

/** By its transcript what was asked about has begun or ended; the same call may have been made before. */
function goesOnSince({ transcript_tail: line }: HookEvent, asked: string): boolean {
  const at = fieldsOf(line)?.["timestamp"]
  return typeof at === "string" && at > asked
}

/** A server connected to the program asks the person, in the terminal alone. */
export async function serverAsked(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  await ask(context, event, { ...askedByServer(event), answerable: false, expiresInMinutes: 24 * 60 })
  return {}
}

/** The person has answered in the terminal: what waited for them on the page is taken back. */
export async function answeredThere(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const session = (await findAgent(context, event)) ?? (await findMain(context, event))
  if (session !== undefined) await settleQuestions(context, session)
  return {}
}

/** The program waits for its person; one such notice for each session is enough. */
export async function notified(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  if (event.notification_type === "permission_prompt" || event.notification_type === undefined) return {}
  const main = await mainSession(context, event)
  const idle = event.notification_type === "idle_prompt"
  if (idle) await settleSpawned(context, event, main)
  // A terminal that is idle has no dialog open any more; Esc at one tells nobody with some versions.
  await settleQuestions(context, main, idle ? undefined : "input")
  await ask(context, event, {
    kind: "input",
    title: cleanLine(`${main.name}: ${event.message ?? "Claude Code waits for you"}`, 300),
    detail: { notification: event.notification_type },
    answerable: false,
    expiresInMinutes: 24 * 60,
  })
  return {}
}

/**
 * Takes back the prompts that nobody answered, or whose answer nobody fetched; the session went on without. What the
 * agent itself asked a person stays asked until it is answered or the agent takes it back.
 */
export async function settleQuestions(
  context: OperationContext,
  session: SessionRecord,
  kind?: attentions.AttentionKind,
): Promise<void> {
  let open = context.db
    .selectFrom("attentions")
    .select("uuid")
    .where("sessionUuid", "=", session.uuid)
    .where("answeredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .where(({ or, eb }) => or([eb("requestId", "=", BY_PROGRAM), eb("answerable", "=", 0)]))
  open = open.where(({ or, eb }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", context.now)]))
  if (kind !== undefined) open = open.where("kind", "=", kind)
  for (const record of await open.execute()) await withdraw(context, record)
  // A notice does not end the dialog whose answer is about to be fetched.
  if (kind !== undefined) return
  const unheard = await context.db
    .selectFrom("attentions")
    .select("uuid")
    .where("sessionUuid", "=", session.uuid)
    .where("requestId", "=", BY_PROGRAM)
    .where("answeredAt", "is not", null)
    .where("deliveredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .execute()
  for (const record of unheard) await markUnheard(context, record)
}

/**
 * What people answered to this session, or to its agent where no session had asked, in words for the model. Saying it
 * is delivering it: what a hook says stands in the model's context.
 */
export async function answersFor(context: OperationContext, session: SessionRecord): Promise<string> {
  const { db, actor } = context
  const records = await db
    .selectFrom("attentions")
    .selectAll()
    .where("agentUuid", "=", actor.uuid)
    .where("answeredAt", "is not", null)
    .where("deliveredAt", "is", null)
    .where("requestId", "is", null)
    .where(({ or, eb }) => or([eb("sessionUuid", "is", null), eb("sessionUuid", "=", session.uuid)]))
    .orderBy("answeredAt")
    .execute()
  const lines: string[] = []
  for (const record of records.filter(({ detail }) => !("requestId" in (JSON.parse(detail) as object)))) {
    const { kind, title, detail, answer, answeredBy, taskUuid } = await markDelivered(context, record)
    const about = taskUuid === null ? "" : ` (task ${taskUuid})`
    const by = answeredBy?.name ?? "A person"
    lines.push(
      kind === "change"
        ? changeDecided(by, changeAsked(detail), answer)
        : `${by} answered your question "${title}"${about}: ${answerWords(answer)}`,
    )
  }
  return lines.join("\n")
}

/** Where a dialog outlasts the time in which it can be answered here, the program has a minute to say so. */
function openMinutes(seconds: number, dialog: boolean): number {
  if (seconds > 0) return seconds / 60 + (dialog ? 1 : 0)
  return dialog ? DIALOG_MINUTES : NOT_ANSWERABLE_MINUTES
}

type Question = Pick<attentions.AttentionRow, "kind" | "title" | "detail" | "answerable"> & { expiresInMinutes: number }

async function ask(context: OperationContext, event: HookEvent, question: Question): Promise<attentions.AttentionRow> {
  const child = await findAgent(context, event)
  const session =
    child?.status === "active" ? child : ((await findMain(context, event)) ?? (await mainSession(context, event)))
  const open = session.status === "active" ? session : await mainSession(context, event)
  await touch(context, open)
  return askPeople(context, question, open.uuid, { requestId: BY_PROGRAM })
}

function detailOf(event: HookEvent, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = JSON.stringify(input).slice(0, MOST_DETAIL).replaceAll("\\u0000", "")
  return { tool: event.tool_name ?? null, input: shown, cwd: event.cwd ?? null, agentType: event.agent_type ?? null }
}
