import type { documents, drafts, KindAbout } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { sql } from "kysely"
import { namesOf, notFound, type OperationContext } from "../../operation.ts"
import { keepText } from "../versions/text-version.ts"

/** What a row needs; the content itself is left out of lists. */
export const DOCUMENT_COLUMNS = [
  "uuid",
  "projectUuid",
  "type",
  "title",
  "version",
  "proposalUuid",
  "createdByType",
  "createdByUuid",
  "createdAt",
  "updatedAt",
] as const

export const contentLength = sql<number>`length("content")`.as("contentLength")

type DocumentRecord = Pick<Schema["documents"], (typeof DOCUMENT_COLUMNS)[number]> &
  ({ contentLength: number } | { content: string })

/** Documents as lists and events carry them. */
export async function documentRows(db: Db, rows: readonly DocumentRecord[]): Promise<documents.DocumentRow[]> {
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.createdByUuid),
  )
  return rows.map((row) => ({
    uuid: row.uuid,
    projectUuid: row.projectUuid,
    type: row.type,
    title: row.title,
    version: row.version,
    contentLength: "content" in row ? [...row.content].length : row.contentLength,
    proposalUuid: row.proposalUuid,
    createdBy: nameOf(row.createdByType, row.createdByUuid),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }))
}

export async function documentRow(db: Db, row: DocumentRecord): Promise<documents.DocumentRow> {
  const [one] = await documentRows(db, [row])
  if (one === undefined) throw notFound("document", row.uuid)
  return one
}

export async function findDocument(db: Db, documentUuid: string): Promise<Schema["documents"]> {
  const row = await db.selectFrom("documents").selectAll().where("uuid", "=", documentUuid).executeTakeFirst()
  if (row === undefined) throw notFound("document", documentUuid)
  return row
}

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
  keepText(context, {
    targetType: "document",
    targetUuid: row.uuid,
    version: 1,
    title: row.title,
    content: row.content,
  })
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
