import { randomUUID } from "node:crypto"
import { eventsAfter, type Schema, type Store } from "@chorus/store"

const BATCH = 500
/** Until then no other server tries the same delivery. */
const HOLD_MS = 60_000

export interface DueDelivery {
  readonly delivery: Schema["webhookDeliveries"]
  readonly webhook: Schema["webhooks"]
}

/** Makes out deliveries for what the log has gained, once each however many servers do it at the same time. Tells whether there may be more. */
export async function makeOut(store: Store, now: Date): Promise<boolean> {
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
        .returning("uuid")
        .executeTakeFirst()
      if (moved === undefined || wanted.length === 0) return
      const rows = wanted.map((event) => ({
        uuid: randomUUID(),
        webhookUuid: webhook.uuid,
        eventId: event.id,
        status: "pending" as const,
        attempts: 0,
        nextAttemptAt: now.toISOString(),
        responseStatus: null,
        error: null,
        createdAt: now.toISOString(),
        deliveredAt: null,
      }))
      await db
        .insertInto("webhookDeliveries")
        .values(rows)
        .onConflict((conflict) => conflict.columns(["webhookUuid", "eventId"]).doNothing())
        .execute()
    })
  }
  return more
}

/** Takes deliveries that are due, oldest first, so that nobody else takes them for a while. A server that dies leaves them due again. */
export async function takeDue(store: Store, now: Date, limit: number): Promise<DueDelivery[]> {
  const due = await pendingOfActive(store)
    .selectAll("d")
    .where("d.nextAttemptAt", "<=", now.toISOString())
    .orderBy("d.nextAttemptAt")
    .orderBy("d.eventId")
    .limit(limit)
    .execute()
  if (due.length === 0) return []
  return store.write(async ({ db }) => {
    const taken: DueDelivery[] = []
    for (const { uuid, webhookUuid, nextAttemptAt } of due) {
      const delivery = await db
        .updateTable("webhookDeliveries")
        .set((set) => ({
          attempts: set("attempts", "+", 1),
          nextAttemptAt: new Date(now.getTime() + HOLD_MS).toISOString(),
        }))
        .where("uuid", "=", uuid)
        .where("status", "=", "pending")
        .where("nextAttemptAt", "=", nextAttemptAt)
        .returningAll()
        .executeTakeFirst()
      const webhook = await db.selectFrom("webhooks").selectAll().where("uuid", "=", webhookUuid).executeTakeFirst()
      if (delivery !== undefined && webhook !== undefined) taken.push({ delivery, webhook })
    }
    return taken
  })
}

export interface Outcome {
  readonly status: "pending" | "delivered" | "failed"
  readonly nextAttemptAt: string | null
  readonly responseStatus: number | null
  readonly error: string | null
  readonly deliveredAt: string | null
}

export async function settle(store: Store, deliveryUuid: string, outcome: Outcome): Promise<void> {
  await store.write(({ db }) =>
    db.updateTable("webhookDeliveries").set(outcome).where("uuid", "=", deliveryUuid).execute(),
  )
}

/** When the next delivery falls due. */
export async function nextDue(store: Store): Promise<string | undefined> {
  const row = await pendingOfActive(store)
    .select(({ fn }) => fn.min("d.nextAttemptAt").as("at"))
    .executeTakeFirst()
  return row?.at ?? undefined
}

function pendingOfActive(store: Store) {
  return store.db
    .selectFrom("webhookDeliveries as d")
    .innerJoin("webhooks as h", "h.uuid", "d.webhookUuid")
    .where("d.status", "=", "pending")
    .where("h.active", "=", 1)
}

/** Notifications are their recipients' own, and of its own making a webhook does not tell. */
function wants(
  webhook: Schema["webhooks"],
  event: { kind: string; entityType: string; projectUuid: string | null },
): boolean {
  if (event.entityType === "notification" || event.entityType === "webhook") return false
  if (webhook.projectUuid !== null && event.projectUuid !== webhook.projectUuid) return false
  const noun = event.kind.slice(0, event.kind.indexOf("."))
  return (JSON.parse(webhook.kinds) as string[]).some(
    (kind) => kind === "*" || kind === event.kind || kind === `${noun}.*`,
  )
}
