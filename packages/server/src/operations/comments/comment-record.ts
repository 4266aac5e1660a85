import type { comments } from "@chorus/contracts"
import { type Db, type Schema, writtenOften } from "@chorus/store"
import { actorRef, namesOf, notFound, type OperationContext } from "../../operation.ts"

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

const added = writtenOften((db, record: Schema["comments"]) => db.insertInto("comments").values(record))

type Said = Pick<Schema["comments"], "projectUuid" | "targetType" | "targetUuid" | "parentUuid" | "content">

/** Writes a comment by whoever calls, and tells of it. */
export async function writeComment(
  { db, actor, now, newId, emit, besides }: OperationContext,
  { projectUuid, targetType, targetUuid, parentUuid, content }: Said,
): Promise<comments.CommentRow> {
  const record = {
    uuid: newId(),
    projectUuid,
    targetType,
    targetUuid,
    parentUuid,
    content,
    authorType: actor.type,
    authorUuid: actor.uuid,
    createdAt: now,
    editedAt: null,
    deletedAt: null,
  }
  besides(added(db, record))
  const comment = actor.type === "system" ? await commentRow(db, record) : { ...record, author: actorRef(actor) }
  emit({
    kind: "comment.added",
    entityType: "comment",
    entityUuid: record.uuid,
    projectUuid: record.projectUuid,
    action: "created",
    patch: comment,
  })
  return comment
}
