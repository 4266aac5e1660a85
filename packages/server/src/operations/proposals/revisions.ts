import { revisions } from "@chorus/contracts"
import { type Db, inTurns } from "@chorus/store"
import { costly, namesOf, notFound, operation } from "../../operation.ts"
import { compareSnapshots } from "./compare.ts"
import { findProposal } from "./proposal-row.ts"
import { type Snapshot, snapshotOf } from "./check-proposal.ts"

export const getProposalRevisions = operation(revisions.getProposalRevisions, async ({ db }, { proposalUuid }) => {
  const rows = await db
    .selectFrom("proposalRevisions")
    .select([
      "revision",
      "outcome",
      "note",
      "submittedByType",
      "submittedByUuid",
      "submittedAt",
      "decidedByType",
      "decidedByUuid",
      "decidedAt",
    ])
    .where("proposalUuid", "=", proposalUuid)
    .orderBy("revision")
    .execute()
  const nameOf = await namesOf(
    db,
    rows.flatMap((row) => [row.submittedByUuid, row.decidedByUuid]),
  )
  return {
    revisions: rows.map(({ submittedByType, submittedByUuid, decidedByType, decidedByUuid, ...row }) => ({
      ...row,
      submittedBy: nameOf(submittedByType, submittedByUuid),
      decidedBy: nameOf(decidedByType, decidedByUuid),
    })),
  }
})

export const compareProposalRevisions = costly(
  revisions.compareProposalRevisions,
  async ({ db }, { proposalUuid, from, to }) => {
    const before = await submitted(db, proposalUuid, from)
    const after =
      to === undefined
        ? await snapshotOf(db, await findProposal(db, proposalUuid))
        : await submitted(db, proposalUuid, to)
    return { from, to: to ?? null, ...(await inTurns(compareSnapshots(before, after))) }
  },
)

async function submitted(db: Db, proposalUuid: string, revision: number): Promise<Snapshot> {
  const row = await db
    .selectFrom("proposalRevisions")
    .select("snapshot")
    .where("proposalUuid", "=", proposalUuid)
    .where("revision", "=", revision)
    .executeTakeFirst()
  if (row === undefined) throw notFound("proposal revision", `${proposalUuid} r${revision}`)
  return JSON.parse(row.snapshot) as Snapshot
}
