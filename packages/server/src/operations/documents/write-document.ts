import type { drafts, KindAbout } from "@chorus/contracts"
import type { Schema } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { documentRow } from "./document-row.ts"

export interface NewDocument {
  readonly projectUuid: string
  readonly type: drafts.DocumentType
  readonly title: string
  readonly content: string
  readonly proposalUuid: string | null
  readonly draftUuid: string | null
}

/** Adds a document with its first version. */
export async function insertDocument(
  context: OperationContext,
  given: NewDocument,
  kind: KindAbout<"document", "created"> = "document.created",
): Promise<Schema["documents"]> {
  const { db, actor, now, newId, emit } = context
  const row = {
    uuid: newId(),
    ...given,
    version: 1,
    createdByType: actor.type,
    createdByUuid: actor.uuid,
    createdAt: now,
    updatedAt: now,
  }
  await db.insertInto("documents").values(row).execute()
  await keepVersion(context, row)
  emit({
    kind,
    entityType: "document",
    entityUuid: row.uuid,
    projectUuid: row.projectUuid,
    action: "created",
    patch: await documentRow(db, row),
  })
  return row
}

/** Keeps the document as it is now among its versions. */
export async function keepVersion(
  { db, actor, now }: OperationContext,
  { uuid, version, title, content }: Schema["documents"],
): Promise<void> {
  await db
    .insertInto("documentVersions")
    .values({
      documentUuid: uuid,
      version,
      title,
      content,
      changedByType: actor.type,
      changedByUuid: actor.uuid,
      changedAt: now,
    })
    .execute()
}
