import type { notifications, OutputOf } from "@chorus/contracts"
import { followRows } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"
import { useOperation } from "../live/use-operation.ts"

type Answer = OutputOf<typeof notifications.getNotifications>
type Row = Answer["notifications"][number]

export const INBOX = { status: "all", limit: 50, autoMarkRead: false } as const

const rows = followRows<Answer>({
  entity: "notification",
  rows: "notifications",
  belongs: ({ archivedAt }) => archivedAt === null,
})

/** Only the newest are on show; how many are unread is counted over all, so it changes by what changes. */
export const followNotifications: Follow<Answer> = {
  apply(answer, event) {
    if (event.entityType !== "notification") return answer
    const find = ({ notifications }: Answer) => notifications.find(({ uuid }) => uuid === event.entityUuid)
    const before = find(answer)
    // One further down than what is shown: whether it was unread is not known here.
    if (before === undefined && event.action !== "created") return undefined
    const after = rows.apply(answer, event) ?? answer
    return { ...after, unreadCount: answer.unreadCount + unread(find(after)) - unread(before) }
  },
}

/** The newest notifications of whoever is signed in. */
export function useNotifications() {
  return useOperation("chorus_get_notifications", INBOX, followNotifications)
}

function unread(row: Row | undefined): number {
  return row?.readAt === null ? 1 : 0
}
