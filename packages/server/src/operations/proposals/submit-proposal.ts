import { type drafts, proposals } from "@chorus/contracts"
import type { Schema } from "@chorus/store"
import { notFound, operation, type OperationContext } from "../../operation.ts"
import { skip } from "../elaboration/settle.ts"
import { claim } from "../ideas/idea-life.ts"
import { findIdea } from "../ideas/idea-record.ts"
import { issuesOf, notValid, snapshotOf } from "./check-proposal.ts"
import {
  announceCreated,
  byDraft,
  insertDrafts,
  insertProposal,
  type KeyedTaskDraft,
  keysOf,
} from "./create-proposal.ts"
import {
  changeDocumentDraft,
  changeTaskDraft,
  draftsOf,
  insertDocumentDraft,
  insertTaskDraft,
  type NewDocumentDraft,
  removeDraft,
} from "./draft-record.ts"
import { holdDraftProposal, tellCounts } from "./drafts.ts"
import { findProposal } from "./proposal-row.ts"

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
      dependsOnDraftUuids: dependsOn?.map((on) => (typeof on === "string" ? on : on.key)),
      contracts: Object.fromEntries(
        (dependsOn ?? []).flatMap((on) => (typeof on === "string" ? [] : [[on.key, on.contract]])),
      ),
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

interface Revision {
  readonly projectUuid: string
  readonly title: string
  readonly description?: string | undefined
  readonly documents: readonly NewDocumentDraft[]
  readonly tasks: readonly KeyedTaskDraft[]
}

/**
 * Makes a draft proposal hold exactly these drafts. One with the same title is the same draft, so that a reviewer sees what changed in it;
 * what stayed the same gets no new version.
 */
export async function reviseProposal(
  context: OperationContext,
  proposalUuid: string,
  { projectUuid, title, description, documents, tasks }: Revision,
) {
  const { db, now } = context
  const proposal = await holdDraftProposal(context, proposalUuid)
  if (proposal.projectUuid !== projectUuid) throw notFound("proposal", proposalUuid)
  const before = await draftsOf(db, proposalUuid)
  await db
    .updateTable("proposals")
    .set({ title, ...(description === undefined ? {} : { description }), updatedAt: now })
    .where("uuid", "=", proposalUuid)
    .execute()

  const sameDocument = pairByTitle(documents, before.documents)
  const sameTask = pairByTitle(tasks, before.tasks)
  for (const draft of before.documents)
    if (!sameDocument.includes(draft)) await removeDraft(context, proposal, "document", draft)
  for (const draft of before.tasks) if (!sameTask.includes(draft)) await removeDraft(context, proposal, "task", draft)

  const documentDrafts: { draftUuid: string; title: string }[] = []
  for (const [index, given] of documents.entries()) {
    const old = sameDocument[index]
    if (old !== undefined && (old.content !== given.content || old.type !== given.type))
      await changeDocumentDraft(context, proposal, old, given)
    documentDrafts.push({
      draftUuid: old?.uuid ?? (await insertDocumentDraft(context, proposal, given)).uuid,
      title: given.title,
    })
  }

  const named = tasks.map((given, index) => ({ ...given, uuid: sameTask[index]?.uuid ?? context.newId() }))
  const byKey = keysOf(named)
  const taskDrafts: { draftUuid: string; title: string; key?: string }[] = []
  for (const [index, { key, uuid, dependsOnDraftUuids = [], contracts, ...given }] of named.entries()) {
    const old = sameTask[index]
    const wanted = {
      ...given,
      dependsOnDraftUuids: dependsOnDraftUuids.map((name) => byKey.get(name) ?? name),
      contracts: byDraft(contracts, byKey),
    }
    if (old === undefined) await insertTaskDraft(context, proposal, { ...wanted, uuid })
    else if (differs(old, wanted))
      await changeTaskDraft(context, proposal, old, {
        ...wanted,
        description: given.description ?? null,
        storyPoints: given.storyPoints ?? null,
        priority: given.priority ?? null,
      })
    taskDrafts.push({ draftUuid: uuid, title: given.title, ...(key === undefined ? {} : { key }) })
  }
  await tellCounts(context, { ...proposal, title })
  return { documentDrafts, taskDrafts }
}

/** For each given thing the draft of the same title that no other took. */
function pairByTitle<Draft extends { title: string }>(
  given: readonly { readonly title: string }[],
  known: readonly Draft[],
): (Draft | undefined)[] {
  const free = [...known]
  return given.map(({ title }) => {
    const index = free.findIndex((draft) => draft.title === title)
    return index < 0 ? undefined : free.splice(index, 1)[0]
  })
}

function differs(old: drafts.TaskDraft, wanted: Omit<KeyedTaskDraft, "key">): boolean {
  const facts = (draft: Omit<KeyedTaskDraft, "key"> | drafts.TaskDraft) =>
    JSON.stringify([
      draft.description ?? null,
      draft.storyPoints ?? null,
      draft.priority ?? null,
      draft.acceptanceCriteriaItems,
      draft.dependsOnDraftUuids ?? [],
      draft.contracts ?? {},
    ])
  return facts(old) !== facts(wanted)
}
