import { type attentions, ChorusError, type TeamDecision } from "@chorus/contracts"
import { faultOf, formQuestions } from "@chorus/core"
import { z } from "zod"
import type { OperationContext } from "../../operation.ts"
import { applyChange } from "../change-requests/apply-change.ts"
import { machineOf, sendToMachine, sendToTerminal } from "../machines/machine-lane.ts"
import { sendToRunner } from "../runs/orders.ts"
import { keepYes } from "../runs/rules.ts"
import { type AttentionRecord, isOfTerminal } from "./attention-row.ts"

/**
 * Puts the answer on its way, where it was a run or a member of a team on some machine who asked, and makes a change that was agreed
 * to; an agent that asked by itself looks for it.
 */
export async function passOn(
  context: OperationContext,
  attention: AttentionRecord,
  answer: attentions.AttentionAnswer,
): Promise<void> {
  if (attention.kind === "change") return applyChange(context, attention, answer)
  if (attention.runUuid !== null) return passToRun(context, attention, answer)
  const detail = JSON.parse(attention.detail) as Record<string, unknown>
  const { machine: name, team, member, requestId } = detail
  if (isOfTerminal(attention.requestId)) return passToTerminal(context, attention, detail, answer)
  if ((attention.kind !== "plan" && attention.kind !== "permission") || attention.agentUuid === null) return
  if (typeof name !== "string" || typeof team !== "string") return
  if (typeof member !== "string" || typeof requestId !== "string") return
  if (answer.decision === undefined)
    throw new ChorusError("decision_missing", `${member} waits for a yes or a no.`, {
      next: "Approve it or deny it; words may go with either.",
    })
  const machineUuid = await machineOf(context, attention.agentUuid, name)
  const decided = { team, member, requestId, by: context.actor.name, approved: answer.decision === "approve" }
  const { text } = answer
  const decision: TeamDecision =
    attention.kind === "plan"
      ? { decision: "plan", ...decided, ...(text === undefined ? {} : { feedback: text }) }
      : { decision: "permission", ...decided, ...(text === undefined ? {} : { reason: text }) }
  const about = { kind: "answer", title: attention.title, tag: `attention:${attention.uuid}` } as const
  await sendToMachine(context, machineUuid, decision, about)
}

/** The machine has the answer reach the question it is about, or none. */
async function passToTerminal(
  context: OperationContext,
  { uuid, title, agentUuid }: AttentionRecord,
  { machine, terminalId, ask }: Record<string, unknown>,
  { decision }: attentions.AttentionAnswer,
): Promise<void> {
  if (typeof machine !== "string" || typeof terminalId !== "string" || typeof ask !== "string") return
  if (agentUuid === null) return
  if (decision === undefined)
    throw new ChorusError("decision_missing", "The agent waits for a yes or a no.", {
      next: "Approve it or deny it.",
    })
  const order = { order: "answer", terminalId, ask, decision } as const
  const about = { kind: "answer", title, tag: `attention:${uuid}` } as const
  await sendToTerminal(context, await machineOf(context, agentUuid, machine), order, about)
}

/** A run's question was asked by its runner, which knows what the agent may be told. */
async function passToRun(
  context: OperationContext,
  { uuid, kind, title, runUuid, requestId, detail }: AttentionRecord,
  { decision, text, data: given }: attentions.AttentionAnswer,
): Promise<void> {
  if (runUuid === null || requestId === null) return
  if (kind === "permission" && decision === undefined)
    throw new ChorusError("decision_missing", "The agent waits for a yes or a no.", {
      next: "Approve it or deny it; words may go with either.",
    })
  const asked = JSON.parse(detail) as Record<string, unknown>
  if (kind === "input" && decision === undefined) assertAnswered(asked, text, given)
  const { remember, ...data } = given ?? {}
  if (decision === "approve" && kind === "permission" && (remember === "run" || remember === "project"))
    await keepYes(context, runUuid, { title, detail: asked }, remember)
  const order = { order: "answer", runUuid, requestId, by: context.actor.name, decision, text, data } as const
  await sendToRunner(context, order, { kind: "answer", title, tag: `attention:${uuid}` })
}

const Answers = z.record(z.string(), z.string())

/** What the agent's program would refuse is refused here, where somebody hears it. */
function assertAnswered(
  asked: Record<string, unknown>,
  text: string | undefined,
  given: attentions.AttentionAnswer["data"],
): void {
  const questions = formQuestions(asked)
  const [first, ...more] = questions
  if (first === undefined) return
  const answers = Answers.safeParse(given?.["answers"]).data ?? (more.length === 0 ? { [first.id]: text } : {})
  const fault = faultOf(questions, answers)
  if (fault === undefined) return
  throw new ChorusError("invalid_input", fault, {
    next: more.length === 0 ? "Answer it in its form, or refuse it." : `Answer all ${questions.length} questions.`,
  })
}
