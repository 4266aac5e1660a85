import { z } from "zod"
import { ActorRef, pageOutput, pagesOf, prose, signature } from "../signature.ts"

const TargetType = z.enum(["idea", "proposal", "task"])

export const ReviewVerdict = z.enum(["pass", "pass_with_notes", "fail"])
export type ReviewVerdict = z.infer<typeof ReviewVerdict>

export const FindingState = z.enum(["open", "resolved", "dismissed"])
export type FindingState = z.infer<typeof FindingState>

export const FindingRow = z.object({
  uuid: z.string(),
  reviewUuid: z.string(),
  targetUuid: z.string(),
  /** Stays the same across rounds: B1, N2 … */
  key: z.string(),
  severity: z.enum(["blocker", "note"]),
  text: z.string(),
  state: FindingState,
  stateBy: ActorRef.nullable(),
  stateAt: z.string().nullable(),
  stateNote: z.string().nullable(),
  createdAt: z.string(),
})
export type FindingRow = z.infer<typeof FindingRow>

export const ReviewRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  targetType: TargetType,
  targetUuid: z.string(),
  round: z.number().int(),
  verdict: ReviewVerdict,
  summary: z.string(),
  reviewer: ActorRef.nullable(),
  findings: z.array(FindingRow),
  createdAt: z.string(),
})
export type ReviewRow = z.infer<typeof ReviewRow>

const FindingKey = z.string().regex(/^[BN][1-9][0-9]{0,3}$/)

export const submitReview = signature({
  name: "chorus_submit_review",
  does: "Record a review: verdict, findings, and which earlier findings are resolved.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    targetType: TargetType,
    targetUuid: z.uuid(),
    verdict: ReviewVerdict,
    summary: prose(20_000).refine((text) => text.trim() !== "", "must not be blank"),
    /** A key raises an earlier finding again. */
    findings: z
      .array(
        z.object({
          key: FindingKey.optional(),
          severity: z.enum(["blocker", "note"]),
          text: prose(10_000).refine((text) => text.trim() !== "", "must not be blank"),
        }),
      )
      .max(100)
      .default([]),
    resolvedKeys: z.array(FindingKey).max(100).default([]),
  }),
  output: ReviewRow,
})

export const updateFinding = signature({
  name: "chorus_update_finding",
  does: "Resolve, dismiss or reopen a review finding.",
  needs: "task:write",
  kind: "write",
  tool: "hidden",
  input: z.object({ findingUuid: z.uuid(), state: FindingState, note: prose(2000).optional() }),
  output: FindingRow,
})

export const getReviews = signature({
  name: "chorus_get_reviews",
  does: "List the reviews of an idea, proposal or task, newest first, with findings.",
  needs: "proposal:read",
  kind: "read",
  tool: "listed",
  input: z.object({ targetType: TargetType, targetUuid: z.uuid(), ...pagesOf(50) }),
  output: z.object({ reviews: z.array(ReviewRow), openBlockers: z.number().int(), ...pageOutput }),
})
