import type { proposals, revisions } from "@chorus/contracts"
import type { Tone } from "../design/index.ts"
import type { TextKey, Translate } from "../i18n/language.ts"

export const PROPOSAL_TONE: Record<proposals.ProposalStatus, Tone> = {
  draft: "progress",
  pending: "waiting",
  approved: "done",
  closed: "todo",
}

export const PROPOSAL_LABEL: Record<proposals.ProposalStatus, TextKey> = {
  draft: "proposals.status.draft",
  pending: "proposals.status.pending",
  approved: "proposals.status.approved",
  closed: "proposals.status.closed",
}

export type Outcome = revisions.RevisionRow["outcome"] | "touchedUp"

export const OUTCOME_TONE: Record<Outcome, Tone> = {
  pending: "waiting",
  approved: "done",
  rejected: "failed",
  touchedUp: "progress",
  revoked: "failed",
  closed: "todo",
}

/** How a submission ended. One that its reviewer put right is followed by itself: the next revision is still of the same submission. */
export function outcomeOf(row: revisions.RevisionRow, next: revisions.RevisionRow | undefined): Outcome {
  return row.outcome === "rejected" && next?.submittedAt === row.submittedAt ? "touchedUp" : row.outcome
}

/** What a plan holds, counted in words. */
export function howMuch(
  text: Translate,
  { documentDraftCount, taskDraftCount }: Pick<proposals.ProposalRow, "documentDraftCount" | "taskDraftCount">,
): { readonly documents: string; readonly tasks: string } {
  return {
    documents: text("proposals.documentCount", { count: documentDraftCount }),
    tasks: text("proposals.taskCount", { count: taskDraftCount }),
  }
}
