import { z } from "zod"
import { ActorRef, ProposalId, signature } from "../signature.ts"

export const RevisionRow = z.object({
  revision: z.number().int(),
  outcome: z.enum(["pending", "approved", "rejected", "revoked", "closed"]),
  note: z.string().nullable(),
  submittedBy: ActorRef.nullable(),
  submittedAt: z.string(),
  decidedBy: ActorRef.nullable(),
  decidedAt: z.string().nullable(),
})
export type RevisionRow = z.infer<typeof RevisionRow>

export const getProposalRevisions = signature({
  name: "chorus_get_proposal_revisions",
  does: "List what was submitted when and how it was decided, oldest first.",
  needs: "proposal:read",
  kind: "read",
  tool: "none",
  input: z.object({ proposalUuid: ProposalId }),
  output: z.object({ revisions: z.array(RevisionRow) }),
})

export const DraftChange = z.object({
  draftUuid: z.string(),
  kind: z.enum(["document", "task"]),
  title: z.string(),
  change: z.enum(["added", "removed", "changed", "same"]),
  /** The fields that differ. Long text comes as a unified diff instead of twice. */
  fields: z.array(
    z.object({ field: z.string(), before: z.unknown(), after: z.unknown(), patch: z.string().optional() }),
  ),
})
export type DraftChange = z.infer<typeof DraftChange>

export const compareProposalRevisions = signature({
  name: "chorus_compare_proposal_revisions",
  does: "Compare two submissions of a proposal, or one with the drafts as they are now.",
  needs: "proposal:read",
  kind: "read",
  tool: "none",
  input: z.object({
    proposalUuid: ProposalId,
    from: z.coerce.number().int().min(1),
    to: z.coerce.number().int().min(1).optional(),
  }),
  output: z.object({
    from: z.number().int(),
    /** Null is the present state. */
    to: z.number().int().nullable(),
    proposal: z.array(
      z.object({ field: z.string(), before: z.unknown(), after: z.unknown(), patch: z.string().optional() }),
    ),
    drafts: z.array(DraftChange),
  }),
})
