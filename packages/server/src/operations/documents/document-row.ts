import type { documents } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { sql } from "kysely"
import { namesOf, notFound } from "../../operation.ts"

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
