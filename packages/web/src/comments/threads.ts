import type { attentions, comments, OutputOf } from "@chorus/contracts"
import { followRows } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"

export type Comment = comments.CommentRow
export type Target = comments.CommentTarget

export interface Thread {
  readonly first: Comment
  /** Answers to it and to its answers, oldest first. */
  readonly answers: readonly Comment[]
}

/** Comments as conversations, oldest first; an answer whose thread is out of sight begins one of its own. */
export function threadsOf(rows: readonly Comment[]): Thread[] {
  const sorted = [...rows].sort((a, b) =>
    a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.uuid < b.uuid ? -1 : 1,
  )
  const byUuid = new Map(sorted.map((row) => [row.uuid, row]))
  const groups = Map.groupBy(sorted, (row) => rootOf(row, byUuid))
  return [...groups].flatMap(([uuid, members]): Thread[] => {
    const first = byUuid.get(uuid)
    if (first === undefined) return []
    const answers = members.filter((row) => row.uuid !== uuid && row.deletedAt === null)
    return first.deletedAt !== null && answers.length === 0 ? [] : [{ first, answers }]
  })
}

type Answer = OutputOf<typeof comments.getComments>

/** Keeps the comments on one thing in step with the log. */
export function followComments(targetUuid: string): Follow<Answer> {
  return followRows<Answer>({
    entity: "comment",
    rows: "comments",
    belongs: (comment) => comment.targetUuid === targetUuid,
  })
}

function rootOf(row: Comment, byUuid: ReadonlyMap<string, Comment>): string {
  const seen = new Set<string>()
  let current = row
  while (current.parentUuid !== null && !seen.has(current.uuid)) {
    seen.add(current.uuid)
    const parent = byUuid.get(current.parentUuid)
    if (parent === undefined) break
    current = parent
  }
  return current.uuid
}

/** Whether a comment is the question that an agent waits with: the server writes it down when it is asked. */
export function asks(comment: Comment, question: attentions.AttentionRow | null): boolean {
  if (question === null || comment.authorUuid !== question.agent?.uuid) return false
  return comment.content.split("\n")[0] === `**${question.title}**`
}
