import type { criteria, drafts } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"

export function documentDraft(row: Schema["documentDrafts"]): drafts.DocumentDraft {
  const { uuid, type, title, content, version, updatedAt } = row
  return { uuid, type, title, content, version, updatedAt }
}

export function taskDraft(row: Schema["taskDrafts"]): drafts.TaskDraft {
  const { uuid, title, description, storyPoints, priority, version, updatedAt } = row
  return {
    uuid,
    title,
    description,
    storyPoints,
    priority,
    acceptanceCriteriaItems: JSON.parse(row.criteria) as criteria.CriterionInput[],
    dependsOnDraftUuids: JSON.parse(row.dependsOnDraftUuids) as string[],
    ...(row.contracts === "{}" ? {} : { contracts: JSON.parse(row.contracts) as Record<string, string> }),
    version,
    updatedAt,
  }
}

export function documentDraftIndex({ content, ...draft }: drafts.DocumentDraft): drafts.DocumentDraftIndex {
  return { ...draft, contentLength: content.length }
}

export function taskDraftIndex(draft: drafts.TaskDraft): drafts.TaskDraftIndex {
  const { uuid, title, storyPoints, priority, acceptanceCriteriaItems, dependsOnDraftUuids, version, updatedAt } = draft
  return {
    uuid,
    title,
    storyPoints,
    priority,
    acceptanceCriteriaCount: acceptanceCriteriaItems.length,
    dependsOnDraftUuids,
    version,
    updatedAt,
  }
}

export interface Drafts {
  readonly documents: drafts.DocumentDraft[]
  readonly tasks: drafts.TaskDraft[]
}

/** A proposal's drafts in their order. */
export async function draftsOf(db: Db, proposalUuid: string): Promise<Drafts> {
  const documents = await db
    .selectFrom("documentDrafts")
    .selectAll()
    .where("proposalUuid", "=", proposalUuid)
    .orderBy("position")
    .orderBy("uuid")
    .execute()
  const tasks = await db
    .selectFrom("taskDrafts")
    .selectAll()
    .where("proposalUuid", "=", proposalUuid)
    .orderBy("position")
    .orderBy("uuid")
    .execute()
  return { documents: documents.map(documentDraft), tasks: tasks.map(taskDraft) }
}

type Place = Pick<Schema["proposals"], "uuid" | "projectUuid">

export interface NewDocumentDraft {
  readonly type: drafts.DocumentType
  readonly title: string
  readonly content: string
}

export interface NewTaskDraft {
  readonly uuid?: string
  readonly title: string
  readonly description?: string | undefined
  readonly storyPoints?: number | undefined
  readonly priority?: drafts.Priority | undefined
  readonly acceptanceCriteriaItems: readonly criteria.CriterionInput[]
  readonly dependsOnDraftUuids?: readonly string[] | undefined
  readonly contracts?: Readonly<Record<string, string>> | undefined
}

export async function insertDocumentDraft(
  context: OperationContext,
  proposal: Place,
  given: NewDocumentDraft,
): Promise<drafts.DocumentDraft> {
  const { db, now, newId } = context
  const position = await nextPosition(db, "documentDrafts", proposal.uuid)
  const row = {
    uuid: newId(),
    proposalUuid: proposal.uuid,
    position,
    type: given.type,
    title: given.title,
    content: given.content,
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
  await db.insertInto("documentDrafts").values(row).execute()
  const draft = documentDraft(row)
  await recordDraft(context, proposal, "document", "added", draft)
  return draft
}

export async function insertTaskDraft(
  context: OperationContext,
  proposal: Place,
  given: NewTaskDraft,
): Promise<drafts.TaskDraft> {
  const { db, now, newId } = context
  const row: Schema["taskDrafts"] = {
    uuid: given.uuid ?? newId(),
    proposalUuid: proposal.uuid,
    position: await nextPosition(db, "taskDrafts", proposal.uuid),
    title: given.title,
    description: given.description ?? null,
    priority: given.priority ?? null,
    storyPoints: given.storyPoints ?? null,
    criteria: JSON.stringify(given.acceptanceCriteriaItems),
    dependsOnDraftUuids: JSON.stringify([...new Set(given.dependsOnDraftUuids ?? [])]),
    contracts: JSON.stringify(given.contracts ?? {}),
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
  await db.insertInto("taskDrafts").values(row).execute()
  const draft = taskDraft(row)
  await recordDraft(context, proposal, "task", "added", draft)
  return draft
}

type Version = Pick<Schema["taskDrafts"], "uuid" | "version">

export interface DocumentDraftChanges {
  readonly type?: drafts.DocumentType | undefined
  readonly title?: string | undefined
  readonly content?: string | undefined
}

export interface TaskDraftChanges {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
  readonly storyPoints?: number | null | undefined
  readonly priority?: drafts.Priority | null | undefined
  readonly acceptanceCriteriaItems?: readonly criteria.CriterionInput[] | undefined
  readonly dependsOnDraftUuids?: readonly string[] | undefined
  readonly contracts?: Readonly<Record<string, string>> | undefined
}

/** Makes the next version of a document draft. The caller holds its proposal. */
export async function changeDocumentDraft(
  context: OperationContext,
  proposal: Place,
  { uuid, version }: Version,
  changes: DocumentDraftChanges,
): Promise<drafts.DocumentDraft> {
  const row = await context.db
    .updateTable("documentDrafts")
    .set({ ...changes, version: version + 1, updatedAt: context.now })
    .where("uuid", "=", uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordDraft(context, proposal, "document", "updated", documentDraft(row))
  return documentDraft(row)
}

/** Makes the next version of a task draft. The caller holds its proposal. */
export async function changeTaskDraft(
  context: OperationContext,
  proposal: Place,
  { uuid, version }: Version,
  changes: TaskDraftChanges,
): Promise<drafts.TaskDraft> {
  const { acceptanceCriteriaItems, dependsOnDraftUuids, contracts, ...fields } = changes
  const row = await context.db
    .updateTable("taskDrafts")
    .set({
      ...fields,
      ...(acceptanceCriteriaItems === undefined ? {} : { criteria: JSON.stringify(acceptanceCriteriaItems) }),
      ...(dependsOnDraftUuids === undefined
        ? {}
        : { dependsOnDraftUuids: JSON.stringify([...new Set(dependsOnDraftUuids)]) }),
      ...(contracts === undefined ? {} : { contracts: JSON.stringify(contracts) }),
      version: version + 1,
      updatedAt: context.now,
    })
    .where("uuid", "=", uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordDraft(context, proposal, "task", "updated", taskDraft(row))
  return taskDraft(row)
}

/** Takes a draft out; its versions stay, with the removal as the last. The caller holds its proposal. */
export async function removeDraft(
  context: OperationContext,
  proposal: Place,
  kind: "document" | "task",
  { uuid, version }: Version,
) {
  const { db } = context
  const draft =
    kind === "document"
      ? documentDraft(
          await db.deleteFrom("documentDrafts").where("uuid", "=", uuid).returningAll().executeTakeFirstOrThrow(),
        )
      : taskDraft(await db.deleteFrom("taskDrafts").where("uuid", "=", uuid).returningAll().executeTakeFirstOrThrow())
  const removed = { ...draft, version: version + 1 }
  await recordDraft(context, proposal, kind, "removed", removed)
  return removed
}

const TOLD = {
  added: { kind: "draft.added", action: "created" },
  updated: { kind: "draft.updated", action: "updated" },
  removed: { kind: "draft.removed", action: "deleted" },
} as const

/** Keeps the state a draft has now (or that it is gone) among its versions, and tells readers. */
export async function recordDraft(
  { db, actor, now, emit }: OperationContext,
  proposal: Place,
  kind: "document" | "task",
  verb: keyof typeof TOLD,
  draft: drafts.DocumentDraft | drafts.TaskDraft,
): Promise<void> {
  const body = verb === "removed" ? "null" : JSON.stringify(draft)
  await db
    .insertInto("draftVersions")
    .values({
      draftUuid: draft.uuid,
      version: draft.version,
      proposalUuid: proposal.uuid,
      kind,
      body,
      changedByType: actor.type,
      changedByUuid: actor.uuid,
      changedAt: now,
    })
    .execute()
  const index = "content" in draft ? documentDraftIndex(draft) : taskDraftIndex(draft)
  const patch = { proposalUuid: proposal.uuid, kind, ...index }
  emit({
    ...TOLD[verb],
    entityType: "draft",
    entityUuid: draft.uuid,
    projectUuid: proposal.projectUuid,
    patch,
  })
}

async function nextPosition(db: Db, table: "documentDrafts" | "taskDrafts", proposalUuid: string): Promise<number> {
  const row = await db
    .selectFrom(table)
    .select(({ fn }) => fn.max("position").as("last"))
    .where("proposalUuid", "=", proposalUuid)
    .executeTakeFirst()
  return Number(row?.last ?? 0) + 1
}
