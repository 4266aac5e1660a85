import { ChorusError, TEAM_LEAD } from "@chorus/contracts"
import { z } from "zod"
import { agentOfRequest } from "../protocol/request-id.ts"
import { answerPlan, answerShutdown, broadcast, requestShutdown, sendMessage } from "../protocol/send.ts"
import { planDeciderOf } from "../runtime/spawn-note.ts"
import type { Team } from "../team.ts"

const Reply = z.looseObject({
  type: z.enum(["shutdown_request", "shutdown_response", "plan_approval_response"]),
  request_id: z.string().optional(),
  approve: z.boolean().optional(),
  reason: z.string().optional(),
  feedback: z.string().optional(),
})

/** Both forms that SendMessage has had: `type, recipient, content` and `to, message`. */
export const SendMessageInput = z.object({
  to: z.string().optional().describe("Who gets it: a member's name, or * for all"),
  message: z
    .union([z.string(), Reply])
    .optional()
    .describe("The text, or {type: shutdown_request | shutdown_response | plan_approval_response, …}"),
  type: z.enum(["message", "broadcast", "shutdown_request", "shutdown_response", "plan_approval_response"]).optional(),
  recipient: z.string().optional(),
  content: z.string().optional(),
  summary: z.string().optional().describe("5 to 10 words for previews"),
  request_id: z.string().optional(),
  approve: z.boolean().optional(),
})

interface Asked {
  readonly type: string
  readonly to: string | undefined
  readonly content: string
  readonly summary: string | undefined
  readonly requestId: string | undefined
  readonly approve: boolean
}

export async function sendTool(team: Team, from: string, input: z.infer<typeof SendMessageInput>): Promise<unknown> {
  const asked = understood(input)
  switch (asked.type) {
    case "broadcast":
      return broadcast(team, { from, content: asked.content, summary: asked.summary })
    case "shutdown_request":
      onlyLead(from, "ask a member to shut down")
      return requestShutdown(team, { from, to: needed(asked.to, "to"), reason: asked.content })
    case "shutdown_response":
      await answerShutdown(
        team,
        from,
        needed(asked.requestId, "request_id"),
        asked.approve ? { approve: true } : { approve: false, reason: asked.content },
      )
      return { success: true, message: asked.approve ? "Shutdown approved." : "Shutdown rejected." }
    case "plan_approval_response":
      return answerPlanAsLead(team, from, asked)
    default:
      return sendMessage(team, { from, to: needed(asked.to, "to"), content: asked.content, summary: asked.summary })
  }
}

async function answerPlanAsLead(team: Team, from: string, asked: Asked): Promise<unknown> {
  onlyLead(from, "decide on a plan")
  const requestId = needed(asked.requestId, "request_id")
  const to = asked.to ?? needed(agentOfRequest(requestId), "recipient")
  await team.member(to)
  if (planDeciderOf(team.paths, to) === "person")
    throw new ChorusError("needs_a_person", `A person decides on what ${to} plans.`, {
      status: 403,
      next: "They do so on the page, or with `chorus team decide`; tell them what you think of it.",
    })
  await answerPlan(team, to, { requestId, approved: asked.approve, feedback: asked.content })
  return {
    success: true,
    message: asked.approve ? `Plan approved for ${to}` : `Plan rejected for ${to} with feedback: "${asked.content}"`,
  }
}

function understood(input: z.infer<typeof SendMessageInput>): Asked {
  const reply = typeof input.message === "object" ? input.message : undefined
  const to = input.to ?? input.recipient
  const type = reply?.type ?? input.type ?? (to === "*" ? "broadcast" : "message")
  const text = typeof input.message === "string" ? input.message : input.content
  return {
    type,
    to,
    content: text ?? reply?.feedback ?? reply?.reason ?? "",
    summary: input.summary,
    requestId: reply?.request_id ?? input.request_id,
    approve: reply?.approve ?? input.approve ?? false,
  }
}

function onlyLead(from: string, what: string): void {
  if (from === TEAM_LEAD) return
  throw new ChorusError("not_the_lead", `Only the lead may ${what}.`, { status: 403, next: "Send the lead a message." })
}

function needed(value: string | undefined, field: string): string {
  if (value !== undefined && value !== "") return value
  throw new ChorusError("missing_field", `SendMessage needs "${field}" here.`, {
    next: `Repeat the call with "${field}".`,
  })
}
