import { ChorusError, type proposals } from "@chorus/contracts"
import type { Schema } from "@chorus/store"

export function notValid(proposal: Schema["proposals"], issues: readonly proposals.ProposalIssue[]): ChorusError {
  const errors = issues.filter((issue) => issue.level === "error")
  return new ChorusError(
    "proposal_invalid",
    `"${proposal.title}" cannot be submitted: ${errors.map((issue) => `${issue.id} ${issue.message}`).join(" ")}`,
    {
      status: 409,
      next: "Correct the errors and submit again. Nothing was changed.",
      details: { issues },
    },
  )
}
