import type { notifications, OutputOf } from "@chorus/contracts"
import { followAll, followRows } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"
import { useOperation } from "../live/use-operation.ts"

type Answer = OutputOf<typeof notifications.getNotifications>
type Row = Answer["notifications"][number]

export const INBOX = { status: "all", limit: 50, autoMarkRead: false } as const

const rows = followRows<Answer, Row>({
  entityType: "notification",
  rowsOf: ({ notifications }) => notifications,
  withRows: (answer, rows) => ({ ...answer, notifications: [...rows] }),
  belongs: ({ archivedAt }) => archivedAt === null,
})

const counted: Follow<Answer> = {
  apply(answer, event) {
    if (event.entityType !== "notification") return answer
    const unreadCount = answer.notifications.filter(({ readAt }) => readAt === null).length
    return unreadCount === answer.unreadCount ? answer : { ...answer, unreadCount }
  },
}

/** The newest notifications of whoever is signed in. */
export function useNotifications() {
  return useOperation("chorus_get_notifications", INBOX, followNotifications)
}

export const followNotifications = followAll(rows, counted)
