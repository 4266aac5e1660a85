import type { attentions, HookEvent, HookOutput } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import { askPeople, attentionRowOf, findAttention, markDelivered, withdraw } from "../attentions/attentions.ts"
import { type SessionRecord, touch } from "../sessions/session-record.ts"
import { findAgent, findMain, mainSession } from "./claude-session.ts"
import { cleanLine, fieldsOf } from "./event-field.ts"

const NOT_ANSWERABLE_MINUTES = 30
const MOST_DETAIL = 20_000

/** A permission prompt is on somebody's screen: it is shown on the page, and may be answered there while the hook waits. */
export async function permissionAsked(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const seconds = event.answer_seconds ?? 0
  const input = fieldsOf(event.tool_input) ?? {}
  const what = input["command"] ?? input["file_path"] ?? input["url"] ?? input["description"]
  const title = cleanLine(`${event.tool_name ?? "A tool"}${typeof what === "string" ? `: ${what}` : ""}`, 300)
  const { uuid } = await ask(context, event, {
    kind: "permission",
    title,
    detail: detailOf(event, input),
    answerable: seconds > 0,
    expiresInMinutes: seconds > 0 ? seconds / 60 : NOT_ANSWERABLE_MINUTES,
  })
  return seconds > 0 ? { chorus: { attentionUuid: uuid, settled: false } } : {}
}

/** Our hook program asks whether somebody has answered, and says at the end that it no longer waits. */
export async function answerAwaited(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  if (event.attention_uuid === undefined) return { chorus: { settled: true } }
  const record = await findAttention(context, event.attention_uuid)
  const attentionUuid = record.uuid
  const asked = await attentionRowOf(context, record)
  if (asked.state === "answered") {
    await markDelivered(context, record)
    const allowed = asked.answer?.decision === "approve"
    const message = asked.answer?.text ?? `${asked.answeredBy?.name ?? "A person"} said no on the Chorus page.`
    const decision = allowed ? { behavior: "allow" as const } : { behavior: "deny" as const, message }
    return {
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision },
      chorus: { attentionUuid, settled: true },
    }
  }
  if (asked.state === "open" && event.reason !== "gave_up") return { chorus: { attentionUuid, settled: false } }
  if (asked.state === "open") await withdraw(context, record)
  return { chorus: { attentionUuid, settled: true } }
}

/** The program waits for its person; one such notice for each session is enough. */
export async function notified(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  if (event.notification_type === "permission_prompt" || event.notification_type === undefined) return {}
  const main = await mainSession(context, event)
  await settleQuestions(context, main, "input")
  await ask(context, event, {
    kind: "input",
    title: cleanLine(event.message ?? "Claude Code waits for you", 300),
    detail: { notification: event.notification_type },
    answerable: false,
    expiresInMinutes: 24 * 60,
  })
  return {}
}

/** Takes back what the session asked and nobody answered; it went on without. */
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
  open = open.where(({ or, eb }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", context.now)]))
  if (kind !== undefined) open = open.where("kind", "=", kind)
  for (const record of await open.execute()) await withdraw(context, record)
}

type Question = Pick<attentions.AttentionRow, "kind" | "title" | "detail" | "answerable"> & { expiresInMinutes: number }

async function ask(context: OperationContext, event: HookEvent, question: Question): Promise<attentions.AttentionRow> {
  const child = await findAgent(context, event)
  const session =
    child?.status === "active" ? child : ((await findMain(context, event)) ?? (await mainSession(context, event)))
  const open = session.status === "active" ? session : await mainSession(context, event)
  await touch(context, open)
  return askPeople(context, question, open.uuid)
}

function detailOf(event: HookEvent, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = JSON.stringify(input).slice(0, MOST_DETAIL).replaceAll("\\u0000", "")
  return { tool: event.tool_name ?? null, input: shown, cwd: event.cwd ?? null, agentType: event.agent_type ?? null }
}
