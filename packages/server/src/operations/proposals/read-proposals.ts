import { proposals } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { namesOf, operation, readPage } from "../../operation.ts"
import { referencesOf } from "../references/reference-row.ts"
import { documentDraftIndex, draftsOf, taskDraftIndex } from "./draft-record.ts"
import { openFindings } from "../tasks/hand-in.ts"
import { materialised } from "./materialise.ts"
import { findProposal, proposalRow, proposalRows } from "./proposal-row.ts"

export const getProposals = operation(proposals.getProposals, async ({ db }, input) => {
  let query = db.selectFrom("proposals").where("projectUuid", "=", input.projectUuid)
  if (input.status !== undefined) query = query.where("status", "=", input.status)
  if (input.ideaUuid !== undefined) {
    const { ideaUuid } = input
    query = query.where("uuid", "in", (fed) =>
      fed.selectFrom("proposalInputs").select("proposalUuid").where("ideaUuid", "=", ideaUuid),
    )
  }
  const { rows, page } = await readPage(query.selectAll().orderBy("createdAt", "desc").orderBy("uuid"), input)
  return { proposals: await proposalRows(db, rows), ...page }
})

export const getProposal = operation(proposals.getProposal, async ({ db }, { proposalUuid, section }) => {
  const row = await findProposal(db, proposalUuid)
  const { documents, tasks } = await draftsOf(db, proposalUuid)
  const { reviewedByType, reviewedByUuid, reviewNote, reviewedAt } = row
  const reviewedBy = (await namesOf(db, [reviewedByUuid]))(reviewedByType, reviewedByUuid)
  const inFull = (part: "documents" | "tasks") => section === part || section === "full"
  return {
    ...(await returnedOf(db, row)),
    ...(await proposalRow(db, row)),
    description: row.description,
    project: await db
      .selectFrom("projects")
      .select(["uuid", "name"])
      .where("uuid", "=", row.projectUuid)
      .executeTakeFirstOrThrow(),
    review: reviewedAt === null ? null : { reviewedBy, reviewNote, reviewedAt },
    section,
    references: await referencesOf(db, proposalUuid),
    ...(section === "basic" || section === "full"
      ? { documentDraftIndex: documents.map(documentDraftIndex), taskDraftIndex: tasks.map(taskDraftIndex) }
      : {}),
    ...(inFull("documents") ? { documentDrafts: documents } : {}),
    ...(inFull("tasks") ? { taskDrafts: tasks } : {}),
    ...(row.status === "approved" ? await materialised(db, proposalUuid) : {}),
  }
})

/** Why a proposal came back: what is to be mended, and once it is submitted again what had been asked for. */
async function returnedOf(
  db: Db,
  { uuid, status, revision, submittedAt }: Schema["proposals"],
): Promise<Pick<proposals.ProposalDetail, "returned" | "askedBefore">> {
  if (status === "draft") {
    const returned = await rejectionOf(db, uuid, revision)
    return returned === undefined ? {} : { returned }
  }
  if (status !== "pending" || submittedAt === null) return {}
  const askedBefore = await rejectionOf(db, uuid, revision - 1, submittedAt)
  return askedBefore === undefined ? {} : { askedBefore }
}

async function rejectionOf(
  db: Db,
  uuid: string,
  revision: number,
  raisedBefore?: string,
): Promise<proposals.ProposalDetail["returned"]> {
  const last = await db
    .selectFrom("proposalRevisions")
    .select(["outcome", "note", "decidedAt", "decidedByType", "decidedByUuid"])
    .where("proposalUuid", "=", uuid)
    .where("revision", "=", revision)
    .executeTakeFirst()
  if (last?.decidedAt === undefined || last.decidedAt === null) return undefined
  const by = (await namesOf(db, [last.decidedByUuid]))(last.decidedByType, last.decidedByUuid)
  const reason = last.note === null ? {} : { reason: last.note }
  return { handIn: revision, at: last.decidedAt, by, ...reason, findings: await openFindings(db, uuid, raisedBefore) }
}
