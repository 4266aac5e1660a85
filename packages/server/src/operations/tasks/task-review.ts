import { ChorusError } from "@chorus/contracts"
import { reviewGate } from "@chorus/core"
import type { Db } from "@chorus/store"
import type { TaskRecord } from "./task-row.ts"

/** Where a project asks for reviews, work is accepted only once what was handed in has passed one. */
export async function assertReviewed(db: Db, task: TaskRecord): Promise<void> {
  const given = await db
    .selectFrom("reviews")
    .select(["reviewerUuid", "round", "verdict", "createdAt"])
    .where("targetUuid", "=", task.uuid)
    .execute()
  const findings = await db
    .selectFrom("findings")
    .select(["key", "severity", "state"])
    .where("targetUuid", "=", task.uuid)
    .execute()
  const reason = reviewGate(given, findings, task.submittedAt ?? task.createdAt)
  if (reason === undefined) return
  throw new ChorusError("review_missing", `"${task.title}" cannot be verified: ${reason}.`, {
    status: 409,
    next: "Let a reviewer submit a passing review with chorus_submit_review, or resolve the open blockers.",
    details: { taskUuid: task.uuid },
  })
}
