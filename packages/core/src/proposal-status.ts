import type { proposals } from "@chorus/contracts"

export type ProposalStep = "submit" | "approve" | "reject" | "revoke" | "close"

const STEPS: Record<
  ProposalStep,
  { readonly from: readonly proposals.ProposalStatus[]; readonly to: proposals.ProposalStatus }
> = {
  submit: { from: ["draft"], to: "pending" },
  approve: { from: ["pending"], to: "approved" },
  reject: { from: ["pending"], to: "draft" },
  revoke: { from: ["approved"], to: "draft" },
  close: { from: ["draft", "pending"], to: "closed" },
}

/** The status a step leads to, or undefined where it may not be taken. */
export function afterStep(step: ProposalStep, from: proposals.ProposalStatus): proposals.ProposalStatus | undefined {
  return STEPS[step].from.includes(from) ? STEPS[step].to : undefined
}

/** From which statuses a step may be taken. */
export function stepFrom(step: ProposalStep): readonly proposals.ProposalStatus[] {
  return STEPS[step].from
}

export interface Author {
  readonly type: string
  readonly uuid: string
}

/**
 * Whether approving would be approving one's own work: the creator and the submitter always,
 * and an agent that changed a draft. A person who touched up an agent's draft still reviews the agent's work.
 */
export function isOwnProposal(approver: Author, authors: readonly Author[], editors: readonly Author[]): boolean {
  const is = (other: Author) => other.type === approver.type && other.uuid === approver.uuid
  return authors.some(is) || (approver.type === "agent" && editors.some(is))
}
