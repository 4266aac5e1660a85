import type { proposals, revisions } from "@chorus/contracts"
import type { Tone } from "../design/Badge.tsx"
import type { TextKey } from "../i18n/language.ts"

export const PROPOSAL_TONE: Record<proposals.ProposalStatus, Tone> = { draft: "progress", pending: "waiting", approved: "done", closed: "todo" }

export const PROPOSAL_LABEL: Record<proposals.ProposalStatus, TextKey> = {
  draft: "proposals.status.draft",
  pending: "proposals.status.pending",
  approved: "proposals.status.approved",
  closed: "proposals.status.closed",
}

export const OUTCOME_TONE: Record<revisions.RevisionRow["outcome"], Tone> = { pending: "waiting", approved: "done", rejected: "failed", revoked: "failed", closed: "todo" }
