import type { reviews } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { type NameOf, namesOf } from "../../operation.ts"

export function findingRow(row: Schema["findings"], nameOf: NameOf): reviews.FindingRow {
  const { stateByType, stateByUuid, ...fields } = row
  return { ...fields, stateBy: nameOf(stateByType, stateByUuid) }
}

/** The reviews of something, newest first, each with the findings it raised. */
export async function reviewsOf(db: Db, targetUuid: string): Promise<reviews.ReviewRow[]> {
  const rows = await db
    .selectFrom("reviews")
    .selectAll()
    .where("targetUuid", "=", targetUuid)
    .orderBy("createdAt", "desc")
    .orderBy("uuid")
    .execute()
  const findings = await db
    .selectFrom("findings")
    .selectAll()
    .where("targetUuid", "=", targetUuid)
    .orderBy("createdAt")
    .orderBy("key")
    .execute()
  const nameOf = await namesOf(db, [
    ...rows.map((row) => row.reviewerUuid),
    ...findings.map((finding) => finding.stateByUuid),
  ])
  const raised = Map.groupBy(findings, (finding) => finding.reviewUuid)
  return rows.map(({ reviewerType, reviewerUuid, ...row }) => ({
    ...row,
    reviewer: nameOf(reviewerType, reviewerUuid),
    findings: (raised.get(row.uuid) ?? []).map((finding) => findingRow(finding, nameOf)),
  }))
}
