import { proposals } from "@chorus/contracts"
import type { Schema } from "@chorus/store"
import { operation, type OperationContext } from "../../operation.ts"
import { claim } from "../ideas/claim-idea.ts"
import { findIdea } from "../ideas/idea-row.ts"
import { skip } from "../elaboration/settle.ts"
import { issuesOf } from "./check-proposal.ts"
import { announceCreated, insertDrafts, insertProposal } from "./create-proposal.ts"
import { holdDraftProposal } from "./drafts.ts"
import { findProposal } from "./proposal-row.ts"
import { notValid } from "./not-valid.ts"
import { reviseProposal } from "./revise.ts"
import { snapshotOf } from "./snapshot.ts"

export const submitProposal = operation(proposals.submitProposal, async (context, { proposalUuid }) => {
  return submit(context, await holdDraftProposal(context, proposalUuid))
})

/** A whole plan in one change: what is wrong with it keeps all of it out. */
export const submitPlan = operation(
  proposals.submitPlan,
  async (context, { ideaUuids, documents, tasks, skipElaboration, proposalUuid, ...given }) => {
    if (skipElaboration !== undefined) await settleIdeas(context, ideaUuids, skipElaboration)
    const taskDrafts = tasks.map(({ criteria, dependsOn, ...task }) => ({
      ...task,
      acceptanceCriteriaItems: criteria.map((criterion) =>
        typeof criterion === "string" ? { description: criterion } : criterion,
      ),
      dependsOnDraftUuids: dependsOn,
    }))
    if (proposalUuid !== undefined) {
      const drafts = await reviseProposal(context, proposalUuid, { ...given, documents, tasks: taskDrafts })
      return { ...(await submit(context, await findProposal(context.db, proposalUuid))), ...drafts }
    }
    const proposal = await insertProposal(context, { ...given, inputType: "idea", inputUuids: ideaUuids })
    const drafts = await insertDrafts(context, proposal, documents, taskDrafts)
    await announceCreated(context, proposal)
    return { ...(await submit(context, proposal)), ...drafts }
  },
)

async function submit(context: OperationContext, proposal: Schema["proposals"]) {
  const { db, actor, now, emit } = context
  const { valid, issues } = await issuesOf(db, proposal)
  if (!valid) throw notValid(proposal, issues)
  const revision = proposal.revision + 1
  const changes = { status: "pending", revision, submittedAt: now, updatedAt: now } as const
  await db.updateTable("proposals").set(changes).where("uuid", "=", proposal.uuid).execute()
  await db
    .insertInto("proposalRevisions")
    .values({
      proposalUuid: proposal.uuid,
      revision,
      snapshot: JSON.stringify(await snapshotOf(db, proposal)),
      outcome: "pending",
      note: null,
      submittedByType: actor.type,
      submittedByUuid: actor.uuid,
      submittedAt: now,
      decidedByType: null,
      decidedByUuid: null,
      decidedAt: null,
    })
    .execute()
  const patch = { title: proposal.title, ...changes }
  emit({
    kind: "proposal.submitted",
    entityType: "proposal",
    entityUuid: proposal.uuid,
    projectUuid: proposal.projectUuid,
    action: "updated",
    patch,
  })
  return { uuid: proposal.uuid, title: proposal.title, status: changes.status, revision, valid, issues }
}

async function settleIdeas(context: OperationContext, ideaUuids: readonly string[], reason: string): Promise<void> {
  for (const ideaUuid of new Set(ideaUuids)) {
    const { status } = await findIdea(context.db, ideaUuid)
    if (status === "open") await claim(context, ideaUuid)
    if (status !== "elaborated") await skip(context, ideaUuid, reason)
  }
}
