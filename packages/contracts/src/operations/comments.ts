import { z } from "zod"
import { ActorRef, CommentId, pageInput, pageOutput, prose, signature } from "../signature.ts"

export const CommentTarget = z.enum(["idea", "proposal", "task", "document"])
export type CommentTarget = z.infer<typeof CommentTarget>

/** A comment as threads show it, and as `comment.*` events patch it. A deleted one keeps its place, without its text. */
export const CommentRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  targetType: CommentTarget,
  targetUuid: z.string(),
  /** The comment it answers; null begins a thread. */
  parentUuid: z.string().nullable(),
  content: z.string(),
  author: ActorRef.nullable(),
  authorType: z.string(),
  authorUuid: z.string(),
  createdAt: z.string(),
  editedAt: z.string().nullable(),
  deletedAt: z.string().nullable(),
})
export type CommentRow = z.infer<typeof CommentRow>

const content = prose(50_000).refine((text) => text.trim() !== "", "must not be blank")

export const addComment = signature({
  name: "chorus_add_comment",
  does: "Comment; mention with @[Name](user:uuid) or @[Name](agent:uuid).",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z.object({ targetType: CommentTarget, targetUuid: z.uuid(), content, parentUuid: CommentId.optional() }),
  output: CommentRow,
})

export const getComments = signature({
  name: "chorus_get_comments",
  does: "List comments, newest first.",
  needs: "anyone",
  kind: "read",
  tool: "listed",
  input: z.object({ targetType: CommentTarget, targetUuid: z.uuid(), ...pageInput }),
  output: z.object({ comments: z.array(CommentRow), ...pageOutput }),
})

export const editComment = signature({
  name: "chorus_edit_comment",
  does: "Rewrite a comment of yours.",
  needs: "anyone",
  kind: "write",
  tool: "hidden",
  input: z.object({ commentUuid: CommentId, content }),
  output: CommentRow,
})

export const deleteComment = signature({
  name: "chorus_delete_comment",
  does: "Delete a comment of yours; answers to it stay.",
  needs: "anyone",
  kind: "write",
  tool: "hidden",
  input: z.object({ commentUuid: CommentId }),
  output: z.object({ uuid: z.string(), deleted: z.literal(true) }),
})
