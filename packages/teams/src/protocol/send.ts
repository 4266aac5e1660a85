import {
  type BroadcastSent,
  ChorusError,
  type MessageSent,
  type RequestSent,
  TEAM_LEAD,
  type TeamMessageBody,
} from "@chorus/contracts"
import { requireMember } from "../files/index.ts"
import type { Team } from "../team.ts"
import { protocolKindIn } from "./body.ts"
import { planRequestId, permissionRequestId, shutdownRequestId } from "./request-id.ts"
import { noteSent } from "./sent-journal.ts"

interface Words {
  readonly from: string
  readonly to: string
  readonly content: string
  readonly summary?: string | undefined
}

/** Sends plain text to one member and answers in the first of SendMessage's three forms. */
export async function sendMessage(team: Team, words: Words): Promise<MessageSent> {
  refuseProtocolText(words.content)
  const target = requireMember(await team.config(), words.to)
  await post(team, words.from, words.to, words.content, { summary: words.summary })
  return {
    success: true,
    message: `Message sent to ${words.to}'s inbox`,
    routing: {
      sender: words.from,
      target: `@${words.to}`,
      ...(target.color === undefined ? {} : { targetColor: target.color }),
      ...(words.summary === undefined ? {} : { summary: words.summary }),
      content: words.content,
    },
  }
}

/** Puts the text into every other member's inbox: one message each. */
export async function broadcast(team: Team, words: Omit<Words, "to">): Promise<BroadcastSent> {
  refuseProtocolText(words.content)
  const recipients = (await team.config()).members.map((member) => member.name).filter((name) => name !== words.from)
  for (const to of recipients)
    await post(team, words.from, to, words.content, { summary: words.summary, kind: "broadcast" })
  return {
    success: true,
    message: `Message broadcast to ${recipients.length} teammate(s): ${recipients.join(", ")}`,
    recipients,
    routing: {
      sender: words.from,
      target: "@team",
      ...(words.summary === undefined ? {} : { summary: words.summary }),
      content: words.content,
    },
  }
}

export async function requestShutdown(
  team: Team,
  words: {
    from: string
    to: string
    reason?: string | undefined
    decided?: boolean | string
    note?: string | undefined
  },
): Promise<RequestSent> {
  if (words.to === TEAM_LEAD) throw leadStays()
  requireMember(await team.config(), words.to)
  const requestId = shutdownRequestId(words.to, team.clock.now())
  await sendBody(
    team,
    words.from,
    words.to,
    { type: "shutdown_request", requestId, from: words.from, reason: words.reason ?? "", timestamp: team.timestamp() },
    { decided: words.decided, note: words.note },
  )
  return {
    success: true,
    message: `Shutdown request sent to ${words.to}. Request ID: ${requestId}`,
    request_id: requestId,
    target: words.to,
  }
}

/** A member's answer to a shutdown request, written to the lead. */
export async function answerShutdown(
  team: Team,
  from: string,
  requestId: string,
  answer: { approve: true } | { approve: false; reason: string },
): Promise<void> {
  if (from === TEAM_LEAD) throw leadStays()
  const timestamp = team.timestamp()
  if (!answer.approve) {
    await sendBody(team, from, TEAM_LEAD, {
      type: "shutdown_rejected",
      requestId,
      from,
      reason: answer.reason,
      timestamp,
    })
    return
  }
  const member = (await team.config()).members.find((other) => other.name === from)
  const paneId = member?.tmuxPaneId
  await sendBody(team, from, TEAM_LEAD, {
    type: "shutdown_approved",
    requestId,
    from,
    timestamp,
    ...(paneId === undefined || paneId === "" ? {} : { paneId }),
    ...(member?.backendType === undefined ? {} : { backendType: member.backendType }),
  })
}

export async function requestPlanApproval(
  team: Team,
  from: string,
  plan: { path: string; content: string },
): Promise<string> {
  const requestId = planRequestId(from, team.name, team.clock.now())
  await sendBody(team, from, TEAM_LEAD, {
    type: "plan_approval_request",
    from,
    timestamp: team.timestamp(),
    planFilePath: plan.path,
    planContent: plan.content,
    requestId,
  })
  return requestId
}

export interface PlanVerdict {
  readonly requestId: string
  readonly approved: boolean
  readonly feedback?: string | undefined
  readonly permissionMode?: string | undefined
}

/** The lead's answer to a plan; `decided` marks it as a person's, and may name them. */
export async function answerPlan(
  team: Team,
  to: string,
  verdict: PlanVerdict,
  options: { from?: string; decided?: boolean | string; note?: string | undefined } = {},
): Promise<string> {
  const body = {
    type: "plan_approval_response" as const,
    requestId: verdict.requestId,
    approved: verdict.approved,
    ...(verdict.approved ? {} : { feedback: verdict.feedback ?? "" }),
    timestamp: team.timestamp(),
    ...(verdict.approved ? { permissionMode: verdict.permissionMode ?? "default" } : {}),
  }
  return sendBody(team, options.from ?? TEAM_LEAD, to, body, { decided: options.decided, note: options.note })
}

export interface PermissionAsk {
  readonly toolName: string
  readonly toolUseId: string
  readonly description: string
  readonly input: Record<string, unknown>
  readonly suggestions?: readonly unknown[] | undefined
}

export async function requestPermission(team: Team, from: string, ask: PermissionAsk): Promise<string> {
  const request_id = permissionRequestId(team.clock.now())
  await sendBody(team, from, TEAM_LEAD, {
    type: "permission_request",
    request_id,
    agent_id: from,
    tool_name: ask.toolName,
    tool_use_id: ask.toolUseId,
    description: ask.description,
    input: ask.input,
    permission_suggestions: [...(ask.suggestions ?? [])],
  })
  return request_id
}

export type PermissionVerdict =
  | { requestId: string; approved: true; updatedInput: Record<string, unknown> }
  | { requestId: string; approved: false; reason: string }

export async function answerPermission(
  team: Team,
  to: string,
  verdict: PermissionVerdict,
  options: { from?: string; decided?: boolean | string; note?: string | undefined } = {},
): Promise<string> {
  const head = { type: "permission_response" as const, request_id: verdict.requestId }
  const body = verdict.approved
    ? {
        ...head,
        subtype: "success" as const,
        response: { updated_input: verdict.updatedInput, permission_updates: [] },
      }
    : { ...head, subtype: "error" as const, error: verdict.reason }
  return sendBody(team, options.from ?? TEAM_LEAD, to, body, { decided: options.decided, note: options.note })
}

export async function notifyIdle(
  team: Team,
  from: string,
  extra: { summary?: string | undefined; result?: string | undefined; reason?: string | undefined } = {},
): Promise<void> {
  // Where Chorus leads, the last words are told in the older form too: whoever asked looks for the answer there.
  const withResult = extra.result !== undefined && ((await team.era()) === "session" || (await team.ledByChorus()))
  await sendBody(team, from, TEAM_LEAD, {
    ...idle(team, from, extra.reason ?? "available"),
    ...(extra.summary === undefined ? {} : { summary: extra.summary }),
    ...(withResult ? { result: extra.result } : {}),
  })
}

/** Tells the lead what a member can no longer tell itself, as Claude Code does of one that failed; once for each note. */
export async function notifyDied(team: Team, from: string, note: string): Promise<void> {
  const failed = { completedStatus: "failed", failureReason: "Its process has ended." }
  const body = { ...idle(team, from, "failed"), ...failed } satisfies TeamMessageBody
  await team.deliver({ from, to: TEAM_LEAD, text: JSON.stringify(body), note })
}

function idle(team: Team, from: string, idleReason: string) {
  return { type: "idle_notification" as const, from, timestamp: team.timestamp(), idleReason }
}

/** Tells the new owner about its task, as TaskUpdate does. */
export async function assignTask(team: Team, by: string, taskId: string, owner: string): Promise<void> {
  await team.member(owner)
  const task = await team.updateTask(taskId, { owner })
  await sendBody(team, by, owner, {
    type: "task_assignment",
    taskId,
    subject: task.subject,
    description: task.description,
    assignedBy: by,
    timestamp: team.timestamp(),
  })
}

/** Text is text: it must not be read as an approval or a request by whoever receives it. */
export function refuseProtocolText(content: string): void {
  const kind = protocolKindIn(content)
  if (kind === undefined) return
  throw new ChorusError("protocol_text", `This text would be read as a ${kind}, which is not sent as a message.`, {
    next: "Use the command or tool for that, or put the JSON into a sentence.",
  })
}

function leadStays(): ChorusError {
  return new ChorusError("lead_stays", "The lead is not asked to shut down.", { next: "Delete the team instead." })
}

const UNCOLORED = new Set<TeamMessageBody["type"]>([
  "task_assignment",
  "plan_approval_request",
  "plan_approval_response",
])

async function sendBody(
  team: Team,
  from: string,
  to: string,
  body: TeamMessageBody,
  options: Pick<PostOptions, "decided" | "note"> = {},
): Promise<string> {
  const requestId =
    "requestId" in body ? String(body.requestId) : "request_id" in body ? String(body.request_id) : undefined
  return post(team, from, to, JSON.stringify(body), {
    kind: body.type,
    colored: !UNCOLORED.has(body.type),
    requestId,
    decided: options.decided,
    note: options.note,
  })
}

interface PostOptions {
  readonly summary?: string | undefined
  readonly kind?: string | undefined
  readonly colored?: boolean | undefined
  readonly requestId?: string | undefined
  readonly decided?: boolean | string | undefined
  readonly note?: string | undefined
}

async function post(team: Team, from: string, to: string, text: string, options: PostOptions): Promise<string> {
  const id = await team.deliver({
    from,
    to,
    text,
    summary: options.summary,
    colored: options.colored,
    decided: options.decided,
    note: options.note,
  })
  noteSent(team.paths, from, {
    to,
    kind: options.kind ?? "message",
    at: team.timestamp(),
    ...(options.summary === undefined ? {} : { summary: options.summary }),
    ...(options.requestId === undefined ? {} : { requestId: options.requestId }),
  })
  return id
}
