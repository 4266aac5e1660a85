import type { LogEvent, notifications, OutputOf } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { logEvent } from "../../test/rows.ts"
import { followNotifications } from "./use-notifications.ts"

type Row = notifications.NotificationRow
type Inbox = OutputOf<typeof notifications.getNotifications>

function row(uuid: string, changes: Partial<Row> = {}): Row {
  return {
    uuid,
    projectUuid: "p1",
    projectName: "House",
    recipientType: "user",
    recipientUuid: "me",
    entityType: "task",
    entityUuid: "t1",
    entityTitle: "Wire",
    action: "mentioned",
    message: "Ada mentioned you",
    instructionText: null,
    actorType: "agent",
    actorUuid: "a",
    actorName: "Ada",
    readAt: null,
    archivedAt: null,
    createdAt: "",
    ...changes,
  }
}

function inbox(unreadCount: number, ...rows: readonly Row[]): Inbox {
  return { notifications: [...rows], unreadCount, returned: rows.length, page: 1, pageSize: 50, total: rows.length }
}

function event(entityUuid: string, action: LogEvent["action"], patch: object, entityType = "notification"): LogEvent {
  return logEvent({
    kind: "notification.read",
    entityType,
    entityUuid,
    projectUuid: null,
    action,
    patch: { ...patch },
  })
}

describe("following the inbox", () => {
  const before = inbox(120, row("n1"), row("n2", { readAt: "then" }))

  it("puts what comes on top and counts it", () => {
    const after = followNotifications.apply(before, event("n3", "created", row("n3")))
    expect(after?.notifications.map(({ uuid }) => uuid)).toEqual(["n3", "n1", "n2"])
    expect(after?.unreadCount).toBe(121)
  })

  it("counts one less when one is read, and nothing when it was read before", () => {
    expect(followNotifications.apply(before, event("n1", "updated", { readAt: "now" }))?.unreadCount).toBe(119)
    expect(followNotifications.apply(before, event("n2", "updated", { readAt: "now" }))?.unreadCount).toBe(120)
  })

  it("drops what is put away, and with it its count", () => {
    const after = followNotifications.apply(before, event("n1", "updated", { readAt: "now", archivedAt: "now" }))
    expect(after).toMatchObject({ unreadCount: 119, notifications: [{ uuid: "n2" }] })
    expect(followNotifications.apply(before, event("n2", "updated", { archivedAt: "now" }))?.unreadCount).toBe(120)
  })

  it("asks again when one further down changes, because its share of the count is not known", () => {
    expect(followNotifications.apply(before, event("n99", "updated", { readAt: "now" }))).toBeUndefined()
  })

  it("does not care about anything else", () => {
    expect(followNotifications.apply(before, event("n1", "updated", { readAt: "now" }, "task"))).toBe(before)
  })
})
