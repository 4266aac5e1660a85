import { ChorusError, drafts } from "@chorus/contracts"
import { lock, type Schema } from "@chorus/store"
import { namesOf, notFound, operation, type OperationContext } from "../../operation.ts"
import { draftCounts, findProposal } from "./proposal-row.ts"
import { keepTouchUp } from "./touch-up.ts"
import {
  changeDocumentDraft,
  changeTaskDraft,
  insertDocumentDraft,
  insertTaskDraft,
  removeDraft,
} from "./draft-record.ts"

type Target = { proposalUuid: string; draftUuid: string; expectedVersion?: number | undefined }

export const addDocumentDraft = operation(drafts.addDocumentDraft, async (context, { proposalUuid, ...given }) => {
  const proposal = await holdDraftProposal(context, proposalUuid)
  const draft = await insertDocumentDraft(context, proposal, given)
  await tellCounts(context, proposal)
  return changed("document_draft_added", proposalUuid, draft)
})

export const addTaskDraft = operation(drafts.addTaskDraft, async (context, { proposalUuid, ...given }) => {
  const proposal = await holdDraftProposal(context, proposalUuid)
  const draft = await insertTaskDraft(context, proposal, given)
  await tellCounts(context, proposal)
  return changed("task_draft_added", proposalUuid, draft)
})

export const updateDocumentDraft = operation(
  drafts.updateDocumentDraft,
  async (context, { proposalUuid, draftUuid, expectedVersion, ...given }) => {
    const { proposal, draft } = await holdDraft(
      context,
      "documentDrafts",
      { proposalUuid, draftUuid, expectedVersion },
      holdTouchable,
    )
    const next = await changeDocumentDraft(context, proposal, draft, given)
    if (proposal.status === "pending") await keepTouchUp(context, proposal)
    return changed("document_draft_updated", proposalUuid, next)
  },
)

export const updateTaskDraft = operation(
  drafts.updateTaskDraft,
  async (context, { proposalUuid, draftUuid, expectedVersion, ...given }) => {
    const { proposal, draft } = await holdDraft(
      context,
      "taskDrafts",
      { proposalUuid, draftUuid, expectedVersion },
      holdTouchable,
    )
    const next = await changeTaskDraft(context, proposal, draft, given)
    if (proposal.status === "pending") await keepTouchUp(context, proposal)
    return changed("task_draft_updated", proposalUuid, next)
  },
)

export const removeDocumentDraft = operation(drafts.removeDocumentDraft, async (context, target) => {
  const { proposal, draft } = await holdDraft(context, "documentDrafts", target)
  const removed = await removeDraft(context, proposal, "document", draft)
  await tellCounts(context, proposal)
  return changed("document_draft_removed", target.proposalUuid, removed)
})

export const removeTaskDraft = operation(drafts.removeTaskDraft, async (context, target) => {
  const { proposal, draft } = await holdDraft(context, "taskDrafts", target)
  const removed = await removeDraft(context, proposal, "task", draft)
  await tellCounts(context, proposal)
  return changed("task_draft_removed", target.proposalUuid, removed)
})

export const getDraftVersions = operation(drafts.getDraftVersions, async ({ db }, { proposalUuid, draftUuid }) => {
  const rows = await db
    .selectFrom("draftVersions")
    .selectAll()
    .where("proposalUuid", "=", proposalUuid)
    .where("draftUuid", "=", draftUuid)
    .orderBy("version")
    .execute()
  const [first] = rows
  if (first === undefined) throw notFound("draft", draftUuid)
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.changedByUuid),
  )
  const versions = rows.map((row) => ({
    version: row.version,
    body: JSON.parse(row.body) as Record<string, unknown> | null,
    changedBy: nameOf(row.changedByType, row.changedByUuid),
    changedAt: row.changedAt,
  }))
  return { draftUuid, kind: first.kind, versions }
})

/** The proposal, held until this change ends, so that nobody submits it while its drafts change. */
export async function holdDraftProposal(
  { db, engine }: OperationContext,
  proposalUuid: string,
): Promise<Schema["proposals"]> {
  await lock({ db, engine }, `proposal:${proposalUuid}`)
  const proposal = await findProposal(db, proposalUuid)
  if (proposal.status === "draft") return proposal
  throw new ChorusError(
    "proposal_not_draft",
    `"${proposal.title}" is ${proposal.status}; only a draft proposal can be changed.`,
    {
      status: 409,
      next:
        proposal.status === "closed"
          ? "Start a new proposal."
          : `${proposal.status === "pending" ? "Reject" : "Revoke"} it first, then change it and submit it again.`,
      details: { proposalUuid, status: proposal.status },
    },
  )
}

/** As above; and a person who reviews a submitted proposal may put right what is small, so that it need not go back for a word. */
async function holdTouchable(context: OperationContext, proposalUuid: string): Promise<Schema["proposals"]> {
  await lock(context, `proposal:${proposalUuid}`)
  const proposal = await findProposal(context.db, proposalUuid)
  return proposal.status === "pending" && context.actor.type === "user"
    ? proposal
    : holdDraftProposal(context, proposalUuid)
}

async function holdDraft(
  context: OperationContext,
  table: "documentDrafts" | "taskDrafts",
  { proposalUuid, draftUuid, expectedVersion }: Target,
  hold = holdDraftProposal,
) {
  const proposal = await hold(context, proposalUuid)
  const row = await context.db
    .selectFrom(table)
    .select(["version", "title"])
    .where("uuid", "=", draftUuid)
    .where("proposalUuid", "=", proposalUuid)
    .executeTakeFirst()
  if (row === undefined) throw notFound("draft", draftUuid)
  if (expectedVersion === undefined || expectedVersion === row.version)
    return { proposal, draft: { uuid: draftUuid, version: row.version } }
  throw new ChorusError(
    "stale_version",
    `"${row.title}" is at version ${row.version}, not ${expectedVersion}: somebody changed it meanwhile.`,
    {
      status: 409,
      next: "Get the draft, put your change on top of it and call again with its version. Nothing was changed.",
      details: { draftUuid, expectedVersion, currentVersion: row.version },
    },
  )
}

export async function tellCounts(
  { db, now, emit }: OperationContext,
  { uuid, projectUuid, title }: Schema["proposals"],
): Promise<void> {
  await db.updateTable("proposals").set({ updatedAt: now }).where("uuid", "=", uuid).execute()
  const documentDraftCount = (await draftCounts(db, "documentDrafts", [uuid])).get(uuid) ?? 0
  const taskDraftCount = (await draftCounts(db, "taskDrafts", [uuid])).get(uuid) ?? 0
  const patch = { title, documentDraftCount, taskDraftCount, updatedAt: now }
  emit({ kind: "proposal.updated", entityType: "proposal", entityUuid: uuid, projectUuid, action: "updated", patch })
}

function changed<const Action extends string>(
  action: Action,
  proposalUuid: string,
  draft: { uuid: string; title: string; version: number },
) {
  return { proposalUuid, action, draftUuid: draft.uuid, draftTitle: draft.title, version: draft.version }
}
