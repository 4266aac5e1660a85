import type { criteria } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"

export function criterionRow(record: Schema["criteria"]): criteria.CriterionRow {
  const { devMarkedByUuid, markedByUuid, required, taskUuid: _, retiredAt: __, ...rest } = record
  return { ...rest, required: required === 1, devMarkedBy: devMarkedByUuid, markedBy: markedByUuid }
}

/** The criteria in force, in order. */
export async function criteriaOf(db: Db, taskUuid: string): Promise<criteria.CriterionRow[]> {
  const records = await db
    .selectFrom("criteria")
    .selectAll()
    .where("taskUuid", "=", taskUuid)
    .where("retiredAt", "is", null)
    .orderBy("sortOrder")
    .orderBy("uuid")
    .execute()
  return records.map(criterionRow)
}

/** A criterion as it is first written down: nobody has judged it. */
export function newCriterion(
  uuid: string,
  taskUuid: string,
  input: criteria.CriterionInput,
  sortOrder: number,
): Schema["criteria"] {
  return {
    uuid,
    taskUuid,
    description: input.description,
    required: input.required === false ? 0 : 1,
    command: input.command ?? null,
    sortOrder,
    ...UNJUDGED,
    retiredAt: null,
  }
}

/** Both tracks before anybody has said anything. */
export const UNJUDGED = {
  devStatus: "pending",
  devEvidence: null,
  devMarkedByType: null,
  devMarkedByUuid: null,
  devMarkedAt: null,
  status: "pending",
  evidence: null,
  markedByType: null,
  markedByUuid: null,
  markedAt: null,
} as const
