import type { Schema } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { issuesOf, notValid, snapshotOf } from "./check-proposal.ts"

/** Stands where a reviewer's note would, on the submission that was put right instead of being rejected. */
const TOUCHED_UP = "Touched up by the reviewer."

/**
 * A submitted proposal was changed by the person who reviews it. What is approved must be what a revision holds, so the change becomes
 * the next revision, still by whoever submitted it; further touches of the same person go into that one.
 */
export async function keepTouchUp(
  { db, actor, now, emit }: OperationContext,
  proposal: Schema["proposals"],
): Promise<void> {
  const { valid, issues } = await issuesOf(db, proposal)
  if (!valid) throw notValid(proposal, issues)
  const snapshot = JSON.stringify(await snapshotOf(db, proposal))
  const at = { proposalUuid: proposal.uuid, decidedByType: actor.type, decidedByUuid: actor.uuid, note: TOUCHED_UP }
  const before = await db
    .selectFrom("proposalRevisions")
    .select("revision")
    .where((each) => each.and(at))
    .where("revision", "=", proposal.revision - 1)
    .executeTakeFirst()
  const current = db
    .updateTable("proposalRevisions")
    .where("proposalUuid", "=", proposal.uuid)
    .where("revision", "=", proposal.revision)
  if (before !== undefined) {
    await current.set({ snapshot }).execute()
    return
  }
  const { submittedByType, submittedByUuid, submittedAt } = await current
    .set({
      outcome: "rejected",
      note: TOUCHED_UP,
      decidedByType: actor.type,
      decidedByUuid: actor.uuid,
      decidedAt: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const revision = proposal.revision + 1
  await db
    .insertInto("proposalRevisions")
    .values({
      proposalUuid: proposal.uuid,
      revision,
      snapshot,
      outcome: "pending",
      note: null,
      submittedByType,
      submittedByUuid,
      submittedAt,
      decidedByType: null,
      decidedByUuid: null,
      decidedAt: null,
    })
    .execute()
  await db.updateTable("proposals").set({ revision, updatedAt: now }).where("uuid", "=", proposal.uuid).execute()
  emit({
    kind: "proposal.updated",
    entityType: "proposal",
    entityUuid: proposal.uuid,
    projectUuid: proposal.projectUuid,
    action: "updated",
    patch: { title: proposal.title, revision, updatedAt: now },
  })
}
