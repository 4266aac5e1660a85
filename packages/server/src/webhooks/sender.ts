import { type Store, toLogEvent } from "@chorus/store"
import { cross } from "../bridges/crossing.ts"
import { makeOutCrossings } from "../bridges/outbox.ts"
import type { Sender } from "../deliveries/post-office.ts"
import { subjectOf } from "../deliveries/settle.ts"
import type { Registry } from "../registry.ts"
import type { Resolve } from "./address.ts"
import { makeOut } from "./outbox.ts"
import { post } from "./post.ts"

export interface WebhookRoute {
  readonly resolve?: Resolve | undefined
  readonly timeoutMs?: number | undefined
}

/** Sends the log to webhooks as it grows, and over bridges what concerns a tracker. */
export function webhookSender(store: Store, registry: Registry, route: WebhookRoute = {}): Sender {
  return {
    kind: "event",
    atOnce: 4,
    async gather(now) {
      await makeOut(store, now)
      await makeOutCrossings(store, now)
    },
    async send(delivery, now, signal) {
      const { uuid, lane, payload } = delivery
      if (lane.startsWith("bridge:")) return cross(store, registry, delivery, { resolve: route.resolve, signal })
      const webhook = await store.db
        .selectFrom("webhooks")
        .selectAll()
        .where("uuid", "=", subjectOf(lane))
        .executeTakeFirst()
      if (webhook === undefined) return { arrived: false, error: "The webhook is gone.", forGood: true }
      const event = await store.db
        .selectFrom("events")
        .selectAll()
        .where("workspaceUuid", "=", webhook.workspaceUuid)
        .where("id", "=", (JSON.parse(payload) as { eventId: number }).eventId)
        .executeTakeFirst()
      if (event === undefined) return { arrived: false, error: "The event is no longer kept.", forGood: true }
      const parcel = {
        url: webhook.url,
        secret: webhook.secret,
        allowPrivate: webhook.allowPrivate === 1,
        deliveryUuid: uuid,
        kind: event.kind,
        body: JSON.stringify({ delivery: uuid, event: toLogEvent(event) }),
        now,
      }
      try {
        const responseStatus = await post(parcel, { ...route, signal })
        if (responseStatus >= 200 && responseStatus < 300) return { arrived: true, responseStatus }
        return { arrived: false, responseStatus, error: `It answered ${responseStatus}.` }
      } catch (error) {
        return { arrived: false, error: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}
