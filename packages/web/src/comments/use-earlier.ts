import { useState } from "react"
import { toastError } from "../design/index.ts"
import { useEvents, useLive } from "../live/use-operation.ts"
import { type Comment, followComments, type Target } from "./threads.ts"

export const PAGE_SIZE = 100

interface Earlier {
  readonly comments: readonly Comment[]
  readonly busy: boolean
  /** Loads the next page back in time. */
  more(): Promise<void>
}

/**
 * What was said before the newest page. Pages are counted from the newest, so comments that arrived meanwhile push some of the last page
 * into the next: those are told apart by their ids, and none is missed.
 */
export function useEarlier(targetType: Target, targetUuid: string, newest: readonly Comment[]): Earlier {
  const { client } = useLive()
  const [comments, setComments] = useState<readonly Comment[]>([])
  const [busy, setBusy] = useState(false)
  useEvents((event) => {
    if (event.action === "created") return
    setComments(
      (now) =>
        followComments(targetUuid).apply(
          { comments: [...now], total: 0, returned: now.length, page: 1, pageSize: PAGE_SIZE },
          event,
        )?.comments ?? now,
    )
  })
  const more = async () => {
    setBusy(true)
    try {
      const page = Math.floor((newest.length + comments.length) / PAGE_SIZE) + 1
      const answer = await client.call("chorus_get_comments", { targetType, targetUuid, page, pageSize: PAGE_SIZE })
      setComments((now) => withoutTwins([...now, ...answer.comments]))
    } catch (error) {
      toastError(error)
    } finally {
      setBusy(false)
    }
  }
  const known = new Set(newest.map(({ uuid }) => uuid))
  return { comments: comments.filter(({ uuid }) => !known.has(uuid)), busy, more }
}

function withoutTwins(comments: readonly Comment[]): Comment[] {
  return [...new Map(comments.map((comment) => [comment.uuid, comment])).values()]
}
