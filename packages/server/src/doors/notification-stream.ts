import type { ServerResponse } from "node:http"
import type { LogEvent, notifications } from "@chorus/contracts"
import type { Store } from "@chorus/store"
import { maySee } from "../may-see.ts"
import type { Actor } from "../operation.ts"
import type { EventHub } from "../event-hub.ts"
import { unreadCount } from "../operations/notifications/notifications.ts"

const KEEP_ALIVE_MS = 15_000
/** A reader that lets this much pile up is cut off; it asks for its notifications when it is back. */
const MAX_BACKLOG_BYTES = 256 * 1024

export interface NotificationStreamRequest {
  readonly actor: Actor
  /** Whether the caller may still listen; asked at each keep-alive, and when somebody's rights have changed. */
  stillAllowed(): Promise<boolean>
}

/** `GET /api/events/notifications`: the caller's own notifications as they come, and how many it has not read. */
export async function streamNotifications(
  hub: EventHub,
  store: Store,
  response: ServerResponse,
  { actor, stillAllowed }: NotificationStreamRequest,
): Promise<void> {
  await hub.prepare(actor.workspaceUuid)
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-accel-buffering": "no",
    connection: "keep-alive",
  })
  response.write(": connected\n\n")
  let order = Promise.resolve()
  const subscription = await hub.subscribe({
    workspaceUuid: actor.workspaceUuid,
    after: undefined,
    wants: (event) => event.entityType === "notification" && maySee(actor, event),
    recheck: () => void leaveIfRefused(),
    deliver: (events) => {
      order = order.then(() => tell(events)).catch(() => undefined)
      return order
    },
  })
  const timer = setInterval(() => void keepAlive(), KEEP_ALIVE_MS)
  const stop = () => {
    clearInterval(timer)
    subscription.close()
  }
  response.on("close", stop)
  if (response.destroyed) stop()

  async function tell(events: readonly LogEvent[]): Promise<void> {
    if (response.writableLength > MAX_BACKLOG_BYTES) return void response.destroy()
    const unread = await unreadCount(store.db, actor)
    const news = events.flatMap((event) =>
      event.kind === "notification.created" ? [newNotification(event.patch, unread)] : [],
    )
    response.write(
      [...news, { type: "count_update", unreadCount: unread }]
        .map((message) => `data: ${JSON.stringify(message)}\n\n`)
        .join(""),
    )
  }

  async function keepAlive(): Promise<void> {
    if (await leaveIfRefused()) return
    response.write(": alive\n\n")
  }

  async function leaveIfRefused(): Promise<boolean> {
    const refused = !(await stillAllowed().catch(() => true))
    if (refused) response.end()
    return refused
  }
}

function newNotification(row: notifications.NotificationRow, unread: number) {
  const { uuid, action, actorName, entityType, entityTitle, entityUuid, projectUuid, projectName, message } = row
  return {
    type: "new_notification",
    notificationUuid: uuid,
    action,
    actorName,
    entityType,
    entityUuid,
    entityTitle,
    projectUuid,
    projectName,
    message,
    unreadCount: unread,
  }
}
