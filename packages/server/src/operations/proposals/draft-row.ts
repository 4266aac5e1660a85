import type { criteria, drafts } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"

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
