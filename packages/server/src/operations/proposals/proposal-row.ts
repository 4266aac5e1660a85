import type { proposals } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { sql } from "kysely"
import { namesOf, notFound } from "../../operation.ts"

/** Proposals as lists and events carry them. */
export async function proposalRows(db: Db, rows: readonly Schema["proposals"][]): Promise<proposals.ProposalRow[]> {
  const uuids = rows.map((row) => row.uuid)
  const inputs = Map.groupBy(
    await db.selectFrom("proposalInputs").selectAll().where("proposalUuid", "in", uuids).orderBy("position").execute(),
    (input) => input.proposalUuid,
  )
  const documents = await draftCounts(db, "documentDrafts", uuids)
  const tasks = await draftCounts(db, "taskDrafts", uuids)
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.createdByUuid),
  )
  return rows.map((row) => {
    const given = inputs.get(row.uuid) ?? []
    return {
      uuid: row.uuid,
      projectUuid: row.projectUuid,
      title: row.title,
      status: row.status,
      inputType: row.inputType,
      inputUuids: given.flatMap((input) => input.ideaUuid ?? input.documentUuid ?? []),
      ideaUuid: given.find((input) => input.ideaUuid !== null)?.ideaUuid ?? null,
      revision: row.revision,
      documentDraftCount: documents.get(row.uuid) ?? 0,
      taskDraftCount: tasks.get(row.uuid) ?? 0,
      createdBy: nameOf(row.createdByType, row.createdByUuid),
      createdByType: row.createdByType,
      reviewNote: row.reviewNote,
      submittedAt: row.submittedAt,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    }
  })
}

export async function proposalRow(db: Db, row: Schema["proposals"]): Promise<proposals.ProposalRow> {
  const [one] = await proposalRows(db, [row])
  if (one === undefined) throw notFound("proposal", row.uuid)
  return one
}

export async function findProposal(db: Db, proposalUuid: string): Promise<Schema["proposals"]> {
  const row = await db.selectFrom("proposals").selectAll().where("uuid", "=", proposalUuid).executeTakeFirst()
  if (row === undefined) throw notFound("proposal", proposalUuid)
  return row
}

export async function draftCounts(
  db: Db,
  table: "documentDrafts" | "taskDrafts",
  proposalUuids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom(table)
    .select(["proposalUuid", sql<number>`count(*)`.as("count")])
    .where("proposalUuid", "in", [...proposalUuids])
    .groupBy("proposalUuid")
    .execute()
  return new Map(rows.map((row) => [row.proposalUuid, row.count]))
}
