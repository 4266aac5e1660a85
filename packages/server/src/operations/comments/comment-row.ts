import type { comments } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { namesOf, notFound } from "../../operation.ts"

export async function commentRows(db: Db, rows: readonly Schema["comments"][]): Promise<comments.CommentRow[]> {
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.authorUuid),
  )
  return rows.map((row) => ({ ...row, author: nameOf(row.authorType, row.authorUuid) }))
}

export async function commentRow(db: Db, row: Schema["comments"]): Promise<comments.CommentRow> {
  const [one] = await commentRows(db, [row])
  if (one === undefined) throw notFound("comment", row.uuid)
  return one
}
