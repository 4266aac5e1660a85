import type { drafts } from "@chorus/contracts"
import { notFound } from "../../faults.ts"
import type { OperationContext } from "../../operation.ts"
import { type KeyedTaskDraft, keysOf } from "./create-proposal.ts"
import { draftsOf } from "./draft-row.ts"
import { holdDraftProposal, tellCounts } from "./drafts.ts"
import {
  changeDocumentDraft,
  changeTaskDraft,
  insertDocumentDraft,
  insertTaskDraft,
  type NewDocumentDraft,
  removeDraft,
} from "./write-draft.ts"

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
  for (const [index, { key, uuid, dependsOnDraftUuids = [], ...given }] of named.entries()) {
    const old = sameTask[index]
    const wanted = { ...given, dependsOnDraftUuids: dependsOnDraftUuids.map((name) => byKey.get(name) ?? name) }
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
    ])
  return facts(old) !== facts(wanted)
}
