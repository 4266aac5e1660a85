import { ChorusError, comments } from "@chorus/contracts"
import { type Db, lock, type Schema } from "@chorus/store"
import {
  type Actor,
  assertMayRead,
  forbidden,
  notFound,
  operation,
  type OperationContext,
  readPage,
} from "../../operation.ts"
import { projectReached } from "../../reach.ts"
import { askAudienceOf } from "../../reactors/audience.ts"
import { askSubjects } from "../../reactors/subject.ts"
import { answerByReply } from "../attentions/attentions.ts"
import { commentRow, commentRows, writeComment } from "./comment-record.ts"

export const addComment = operation(
  comments.addComment,
  async (context, { targetType, targetUuid, content, parentUuid }) => {
    const { db, actor } = context
    assertMayRead(actor, targetType)
    if (actor.role === "viewer")
      throw forbidden(
        "A viewer reads along, but does not comment.",
        "Ask a person who runs this workspace to make you a member.",
      )
    askSubjects(context, targetType, [targetUuid])
    if (targetType === "task") askAudienceOf(context, targetUuid)
    const projectUuid = (await projectReached(context, targetUuid))?.projectUuid
    if (projectUuid === undefined) throw notFound(targetType, targetUuid)
    const parent = parentUuid === undefined ? undefined : await answerable(db, parentUuid, targetUuid)
    const comment = await writeComment(context, {
      projectUuid,
      targetType,
      targetUuid,
      parentUuid: parentUuid ?? null,
      content,
    })
    if (parent !== undefined) await answerByReply(context, parent, content)
    return comment
  },
)

export const getComments = operation(
  comments.getComments,
  async ({ db, actor }, { targetType, targetUuid, ...page }) => {
    assertMayRead(actor, targetType)
    // A deleted comment is shown only while somebody's answer hangs on it.
    const shown = db
      .selectFrom("comments as c")
      .where("c.targetUuid", "=", targetUuid)
      .where("c.targetType", "=", targetType)
      .where((where) =>
        where.or([
          where("c.deletedAt", "is", null),
          where.exists(
            where
              .selectFrom("comments as r")
              .select("r.uuid")
              .whereRef("r.parentUuid", "=", "c.uuid")
              .where("r.deletedAt", "is", null),
          ),
        ]),
      )
    const { rows, page: paging } = await readPage(
      shown.selectAll("c").orderBy("c.createdAt", "desc").orderBy("c.uuid", "desc"),
      page,
    )
    return { comments: await commentRows(db, rows), ...paging }
  },
)

export const editComment = operation(comments.editComment, async (context, { commentUuid, content }) => {
  const { db, actor, now, emit } = context
  const before = await hold(context, commentUuid)
  if (!isAuthor(actor, before))
    throw forbidden("Only who wrote a comment rewrites it.", "Answer it with a comment of your own.")
  const row = await db
    .updateTable("comments")
    .set({ content, editedAt: now })
    .where("uuid", "=", commentUuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  const patch = { targetType: row.targetType, targetUuid: row.targetUuid, content, editedAt: now }
  emit({
    kind: "comment.edited",
    entityType: "comment",
    entityUuid: commentUuid,
    projectUuid: row.projectUuid,
    action: "updated",
    patch,
  })
  return commentRow(db, row)
})

export const deleteComment = operation(comments.deleteComment, async (context, { commentUuid }) => {
  const { db, actor, now, emit } = context
  const row = await hold(context, commentUuid)
  if (!(await mayDelete(db, actor, row)))
    throw forbidden(
      "Only who wrote a comment, or runs the workspace, deletes it.",
      "Answer it with a comment of your own.",
    )
  await db.updateTable("comments").set({ content: "", deletedAt: now }).where("uuid", "=", commentUuid).execute()
  await db.deleteFrom("mentions").where("sourceUuid", "=", commentUuid).execute()
  const patch = { targetType: row.targetType, targetUuid: row.targetUuid, content: "", deletedAt: now }
  emit({
    kind: "comment.deleted",
    entityType: "comment",
    entityUuid: commentUuid,
    projectUuid: row.projectUuid,
    action: "updated",
    patch,
  })
  return { uuid: commentUuid, deleted: true as const }
})

async function hold({ db, engine, actor }: OperationContext, commentUuid: string): Promise<Schema["comments"]> {
  await lock({ db, engine }, `comment:${commentUuid}`)
  const row = await db.selectFrom("comments").selectAll().where("uuid", "=", commentUuid).executeTakeFirst()
  if (row === undefined || row.deletedAt !== null) throw notFound("comment", commentUuid)
  assertMayRead(actor, row.targetType)
  return row
}

function isAuthor(actor: Actor, row: Schema["comments"]): boolean {
  return row.authorType === actor.type && row.authorUuid === actor.uuid
}

/** The author, the person to whom the writing agent belongs, or who runs the workspace. */
async function mayDelete(db: Db, actor: Actor, row: Schema["comments"]): Promise<boolean> {
  if (isAuthor(actor, row) || actor.role === "owner" || actor.role === "admin" || actor.type === "system") return true
  if (actor.type !== "user" || row.authorType !== "agent") return false
  const agent = await db.selectFrom("agents").select("ownerUuid").where("uuid", "=", row.authorUuid).executeTakeFirst()
  return agent?.ownerUuid === actor.uuid
}

async function answerable(db: Db, parentUuid: string, targetUuid: string): Promise<Schema["comments"]> {
  const parent = await db.selectFrom("comments").selectAll().where("uuid", "=", parentUuid).executeTakeFirst()
  if (parent === undefined || parent.targetUuid !== targetUuid) throw notFound("comment", parentUuid)
  if (parent.deletedAt === null) return parent
  throw new ChorusError("comment_deleted", "The comment you answer was deleted.", {
    status: 409,
    next: "Comment without parentUuid.",
  })
}
