import { ChorusError } from "@chorus/contracts"
import { reviewGate } from "@chorus/core"
import type { Db } from "@chorus/store"
import { sql } from "kysely"
import type { OperationContext } from "../../operation.ts"
import { settingsOfProject } from "../task-work/settings.ts"
import type { TaskRecord } from "../tasks/task-record.ts"

/** Whether some reviewer's newest word on what was handed in is a fail: a condition on `tasks`. */
export const FAILED_REVIEW = sql<boolean>`exists (select 1 from "reviews" r where r."targetUuid" = "tasks"."uuid"
  and r."verdict" = 'fail' and r."createdAt" >= "tasks"."submittedAt" and not exists (select 1 from "reviews" n
  where n."targetUuid" = r."targetUuid" and n."reviewerUuid" = r."reviewerUuid" and n."round" > r."round"))`

interface HandedIn {
  readonly targetUuid: string
  /** When what is being decided was handed in; reviews before that were of something else. */
  readonly since: string
}

export interface Submission extends HandedIn {
  readonly title: string
}

/** Why this submission has not passed review; undefined when it has. */
export async function unreviewed(db: Db, { targetUuid, since }: HandedIn): Promise<string | undefined> {
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
  return reviewGate(given, findings, since)
}

/** Whether work waits to be verified in a project that asks for a review, and has not passed one. */
export async function lacksReview(
  db: Db,
  { uuid, status, projectUuid, submittedAt, createdAt }: TaskRecord,
): Promise<boolean> {
  if (status !== "to_verify" || !(await settingsOfProject(db, projectUuid)).requireTaskReview) return false
  return (await unreviewed(db, { targetUuid: uuid, since: submittedAt ?? createdAt })) !== undefined
}

/** Refuses to go on before a review of this submission has passed. */
export async function assertReviewed(
  { db }: Pick<OperationContext, "db">,
  { targetUuid, title, since }: Submission,
): Promise<void> {
  const reason = await unreviewed(db, { targetUuid, since })
  if (reason === undefined) return
  throw new ChorusError("review_required", `"${title}" has not passed review: ${reason}.`, {
    status: 409,
    next: "Have it reviewed with chorus_submit_review; this project asks for a passed review first.",
    details: { targetUuid, reason },
  })
}
