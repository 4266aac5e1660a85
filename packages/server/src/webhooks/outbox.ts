import { randomUUID } from "node:crypto"
import { eventsAfter, type Schema, type Store } from "@chorus/store"
import { newDelivery } from "../deliveries/outbox.ts"

const BATCH = 500

/** The lane of what is sent to this webhook. */
export function webhookLane(uuid: string): string {
  return `webhook:${uuid}`
}

/** Makes out deliveries for what the log has gained, once each however many servers do it at the same time. */
export async function makeOut(store: Store, now: Date): Promise<void> {
  while (await makeOutSome(store, now));
}

/** Tells whether there may be more. */
async function makeOutSome(store: Store, now: Date): Promise<boolean> {
  const behind = await store.db
    .selectFrom("webhooks as h")
    .innerJoin("workspaces as w", "w.uuid", "h.workspaceUuid")
    .selectAll("h")
    .where("h.active", "=", 1)
    .whereRef("h.lastEvent", "<", "w.lastEvent")
    .execute()
  let more = false
  for (const webhook of behind) {
    const events = await eventsAfter(store.db, webhook.workspaceUuid, webhook.lastEvent, BATCH)
    const last = events.at(-1)
    if (last === undefined) continue
    more ||= events.length === BATCH
    const wanted = events.filter((event) => wants(webhook, event))
    await store.write(async ({ db }) => {
      const moved = await db
        .updateTable("webhooks")
        .set({ lastEvent: last.id })
        .where("uuid", "=", webhook.uuid)
        .where("lastEvent", "=", webhook.lastEvent)
        .where("active", "=", 1)
        .returning("uuid")
        .executeTakeFirst()
      if (moved === undefined || wanted.length === 0) return
      const { workspaceUuid, uuid } = webhook
      const rows = wanted.map(({ id, kind }) =>
        newDelivery(
          { workspaceUuid, lane: webhookLane(uuid), kind: "event", title: kind, payload: { eventId: id } },
          { uuid: randomUUID(), place: id, now: now.toISOString() },
        ),
      )
      await db.insertInto("deliveries").values(rows).execute()
    })
  }
  return more
}

function wants(
  webhook: Schema["webhooks"],
  event: { kind: string; entityType: string; projectUuid: string | null },
): boolean {
  if (!isToldToWebhooks(event.entityType)) return false
  if (webhook.projectUuid !== null && event.projectUuid !== webhook.projectUuid) return false
  const noun = event.kind.slice(0, event.kind.indexOf("."))
  return (JSON.parse(webhook.kinds) as string[]).some(
    (kind) => kind === "*" || kind === event.kind || kind === `${noun}.*`,
  )
}

/** Notifications are their recipients' own, and of its own making a webhook does not tell. */
export function isToldToWebhooks(entityType: string): boolean {
  return !["notification", "webhook", "delivery"].includes(entityType)
}
