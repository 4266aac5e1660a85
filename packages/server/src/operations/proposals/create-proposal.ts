import { ChorusError, proposals } from "@chorus/contracts"
import { type Db, lock, type Schema } from "@chorus/store"
import { notFound, operation, type OperationContext } from "../../operation.ts"
import { assertHoldsIdea } from "../ideas/idea-record.ts"
import { insertReferences } from "../references/reference-row.ts"
import { holdDraftProposal } from "./drafts.ts"
import { findProposal, proposalRow } from "./proposal-row.ts"
import { insertDocumentDraft, insertTaskDraft, type NewDocumentDraft, type NewTaskDraft } from "./draft-record.ts"

export const createProposal = operation(
  proposals.createProposal,
  async (context, { documentDrafts = [], taskDrafts = [], ...given }) => {
    const earlier = given.inputType === "idea" ? await proposalsOn(context.db, given.inputUuids) : []
    const proposal = await insertProposal(context, given)
    const drafts = await insertDrafts(context, proposal, documentDrafts, taskDrafts)
    await announceCreated(context, proposal)
    await insertReferences(
      context,
      { projectUuid: proposal.projectUuid, targetType: "proposal", targetUuid: proposal.uuid },
      given.references ?? [],
    )
    const note =
      earlier.length === 0
        ? {}
        : {
            note: `These ideas already feed: ${earlier.map((other) => `"${other.title}" (${other.status})`).join(", ")}.`,
          }
    return { uuid: proposal.uuid, title: proposal.title, status: proposal.status, ...drafts, ...note }
  },
)

export const updateProposal = operation(proposals.updateProposal, async (context, { proposalUuid, ...changes }) => {
  const { db, now, emit } = context
  await holdDraftProposal(context, proposalUuid)
  await db
    .updateTable("proposals")
    .set({ ...changes, updatedAt: now })
    .where("uuid", "=", proposalUuid)
    .execute()
  const { uuid, title, status, projectUuid } = await findProposal(db, proposalUuid)
  emit({
    kind: "proposal.updated",
    entityType: "proposal",
    entityUuid: uuid,
    projectUuid,
    action: "updated",
    patch: { ...changes, updatedAt: now },
  })
  return { uuid, title, status }
})

interface NewProposal {
  readonly projectUuid: string
  readonly title: string
  readonly description?: string | undefined
  readonly inputType: "idea" | "document"
  readonly inputUuids: readonly string[]
}

/** Adds a draft proposal with its inputs, which must be in its project and, for ideas, held by the caller. */
export async function insertProposal(context: OperationContext, given: NewProposal): Promise<Schema["proposals"]> {
  const { db, engine, actor, now, newId } = context
  await lock({ db, engine }, `project:${given.projectUuid}`)
  const inputUuids = [...new Set(given.inputUuids)]
  if (given.inputType === "idea") await assertIdeas(context, given.projectUuid, inputUuids)
  else await assertDocuments(db, given.projectUuid, inputUuids)
  const row: Schema["proposals"] = {
    uuid: newId(),
    projectUuid: given.projectUuid,
    title: given.title,
    description: given.description ?? null,
    inputType: given.inputType,
    status: "draft",
    revision: 0,
    createdByType: actor.type,
    createdByUuid: actor.uuid,
    reviewedByType: null,
    reviewedByUuid: null,
    reviewNote: null,
    reviewedAt: null,
    submittedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  await db.insertInto("proposals").values(row).execute()
  const inputs = inputUuids.map((uuid, position) => ({
    proposalUuid: row.uuid,
    position,
    ideaUuid: given.inputType === "idea" ? uuid : null,
    documentUuid: given.inputType === "document" ? uuid : null,
  }))
  if (inputs.length > 0) await db.insertInto("proposalInputs").values(inputs).execute()
  return row
}

export type KeyedTaskDraft = Omit<NewTaskDraft, "uuid"> & { readonly key?: string | undefined }

/** Adds drafts whose tasks name each other by key; anything else they name is taken for a draft's id. */
export async function insertDrafts(
  context: OperationContext,
  proposal: Schema["proposals"],
  documents: readonly NewDocumentDraft[],
  tasks: readonly KeyedTaskDraft[],
) {
  const documentDrafts: { draftUuid: string; title: string }[] = []
  for (const document of documents) {
    const { uuid, title } = await insertDocumentDraft(context, proposal, document)
    documentDrafts.push({ draftUuid: uuid, title })
  }
  const named = tasks.map((task) => ({ ...task, uuid: context.newId() }))
  const byKey = keysOf(named)
  const taskDrafts: { draftUuid: string; title: string; key?: string }[] = []
  for (const { key, dependsOnDraftUuids = [], contracts, ...task } of named) {
    await insertTaskDraft(context, proposal, {
      ...task,
      dependsOnDraftUuids: dependsOnDraftUuids.map((name) => byKey.get(name) ?? name),
      contracts: byDraft(contracts, byKey),
    })
    taskDrafts.push({ draftUuid: task.uuid, title: task.title, ...(key === undefined ? {} : { key }) })
  }
  return { documentDrafts, taskDrafts }
}

/** Which draft a key names; a key names one. */
export function keysOf(tasks: readonly { readonly key?: string | undefined; readonly uuid: string }[]) {
  const byKey = new Map<string, string>()
  for (const { key, uuid } of tasks) {
    if (key === undefined) continue
    if (byKey.has(key)) throw sameKey(key)
    byKey.set(key, uuid)
  }
  return byKey
}

/** What is relied on, by the ids of the drafts that the keys name. */
export function byDraft(
  contracts: Readonly<Record<string, string>> | undefined,
  byKey: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(contracts ?? {}).map(([name, text]) => [byKey.get(name) ?? name, text]))
}

/** Told once the drafts are in, so that the row readers get is whole. */
export async function announceCreated({ db, emit }: OperationContext, proposal: Schema["proposals"]): Promise<void> {
  const patch = await proposalRow(db, proposal)
  emit({
    kind: "proposal.created",
    entityType: "proposal",
    entityUuid: proposal.uuid,
    projectUuid: proposal.projectUuid,
    action: "created",
    patch,
  })
}

async function assertIdeas(
  { db, actor }: OperationContext,
  projectUuid: string,
  uuids: readonly string[],
): Promise<void> {
  for (const uuid of uuids) {
    const idea = await db.selectFrom("ideas").selectAll().where("uuid", "=", uuid).executeTakeFirst()
    if (idea?.projectUuid !== projectUuid) throw notFound("idea", uuid)
    if (idea.isContainer === 1) throw isTheme(idea)
    await assertHoldsIdea(db, actor, idea)
  }
}

async function assertDocuments(db: Db, projectUuid: string, uuids: readonly string[]): Promise<void> {
  for (const uuid of uuids) {
    const document = await db.selectFrom("documents").select("projectUuid").where("uuid", "=", uuid).executeTakeFirst()
    if (document?.projectUuid !== projectUuid) throw notFound("document", uuid)
  }
}

async function proposalsOn(db: Db, ideaUuids: readonly string[]): Promise<{ title: string; status: string }[]> {
  return db
    .selectFrom("proposals as p")
    .innerJoin("proposalInputs as i", "i.proposalUuid", "p.uuid")
    .select(["p.title", "p.status"])
    .distinct()
    .where("i.ideaUuid", "in", ideaUuids)
    .where("p.status", "<>", "closed")
    .execute()
}

function isTheme(idea: Schema["ideas"]): ChorusError {
  return new ChorusError("idea_is_theme", `"${idea.title}" is a theme; a proposal is made for the ideas below it.`, {
    status: 409,
    next: "Choose one of its children, or make the theme an idea again.",
    details: { ideaUuid: idea.uuid },
  })
}

function sameKey(key: string): ChorusError {
  return new ChorusError("invalid_input", `Two tasks have the key ${key}.`, {
    next: "Give each task a key of its own. Nothing was changed.",
  })
}
