import type { comments } from "@chorus/contracts"
import type { Schema } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { commentRow } from "./comment-row.ts"

type Said = Pick<Schema["comments"], "projectUuid" | "targetType" | "targetUuid" | "parentUuid" | "content">

/** Writes a comment by whoever calls, and tells of it. */
export async function writeComment(
  { db, actor, now, newId, emit }: OperationContext,
  said: Said,
): Promise<comments.CommentRow> {
  const record = await db
    .insertInto("comments")
    .values({
      uuid: newId(),
      ...said,
      authorType: actor.type,
      authorUuid: actor.uuid,
      createdAt: now,
      editedAt: null,
      deletedAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const comment = await commentRow(db, record)
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
