import { ChorusError } from "@chorus/contracts"
import { reviewGate } from "@chorus/core"
import type { OperationContext } from "../../operation.ts"

export interface Submission {
  readonly targetUuid: string
  readonly title: string
  /** When what is being decided was handed in; reviews before that were of something else. */
  readonly since: string
}

/** Refuses to go on before a review of this submission has passed. */
export async function assertReviewed(
  { db }: Pick<OperationContext, "db">,
  { targetUuid, title, since }: Submission,
): Promise<void> {
  const given = await db
    .selectFrom("reviews")
    .select(["reviewerUuid", "round", "verdict", "createdAt"])
    .where("targetUuid", "=", targetUuid)
    .execute()
  const findings = await db
    .selectFrom("findings")
    .select(["key", "severity", "state"])
    .where("targetUuid", "=", targetUuid)
    .execute()
  const reason = reviewGate(given, findings, since)
  if (reason === undefined) return
  throw new ChorusError("review_required", `"${title}" has not passed review: ${reason}.`, {
    status: 409,
    next: "Have it reviewed with chorus_submit_review; this project asks for a passed review first.",
    details: { targetUuid, reason },
  })
}
