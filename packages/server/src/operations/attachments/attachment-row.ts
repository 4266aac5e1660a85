import type { attachments } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { type NameOf, namesOf } from "../../operation.ts"

export type AttachmentFacts = Omit<Schema["attachmentFiles"], "content" | "projectUuid">

export const ATTACHMENT_COLUMNS = [
  "uuid",
  "targetType",
  "targetUuid",
  "name",
  "mediaType",
  "size",
  "sha256",
  "createdByType",
  "createdByUuid",
  "createdAt",
] as const

export function attachmentRow(row: AttachmentFacts, nameOf: NameOf): attachments.AttachmentRow {
  const { uuid, targetType, targetUuid, name, mediaType, size, sha256, createdAt } = row
  const createdBy = nameOf(row.createdByType, row.createdByUuid)
  return { uuid, targetType, targetUuid, name, mediaType, size, sha256, createdBy, createdAt }
}

/** The files attached to something, without their content, oldest first. */
export async function attachmentsOf(db: Db, targetUuid: string): Promise<attachments.AttachmentRow[]> {
  const rows = await db
    .selectFrom("attachmentFiles")
    .select(ATTACHMENT_COLUMNS)
    .where("targetUuid", "=", targetUuid)
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.createdByUuid),
  )
  return rows.map((row) => attachmentRow(row, nameOf))
}
