import type { NewEvent } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import { attentionEvent } from "../operations/attentions/attention-row.ts"
import type { Delivery } from "./outbox.ts"
import { waitsOf } from "./policy.ts"

/** How an attempt went. */
export type Outcome =
  | { readonly arrived: true; readonly responseStatus?: number; readonly next?: string | undefined }
  | {
      readonly arrived: false
      readonly error: string
      readonly next?: string | undefined
      readonly responseStatus?: number
      /** Another attempt would go no better. */
      readonly forGood?: boolean
    }

interface Change {
  readonly db: Db
  readonly now: string
}

/**
 * Writes down how an attempt at this delivery went, and tells what to append to the log. Whoever held it too long, so
 * that somebody else has it now, changes nothing.
 */
export async function settle(
  { db, now }: Change,
  delivery: Delivery,
  outcome: Outcome,
  waitsMs: readonly number[] = waitsOf(delivery.kind),
): Promise<NewEvent[]> {
  const settled = await db
    .updateTable("deliveries")
    .set({ attempts: delivery.attempts, responseStatus: outcome.responseStatus ?? null, ...standing() })
    .where("uuid", "=", delivery.uuid)
    .where("state", "=", "pending")
    .where("nextAttemptAt", delivery.nextAttemptAt === null ? "is" : "=", delivery.nextAttemptAt)
    .returningAll()
    .executeTakeFirst()
  return settled === undefined || settled.state === "pending" ? [] : whatFollows({ db, now }, settled)

  function standing() {
    const next = outcome.next ?? null
    if (outcome.arrived)
      return { state: "delivered" as const, nextAttemptAt: null, lastError: null, next, settledAt: now }
    const wait = outcome.forGood === true ? undefined : waitsMs[delivery.attempts - 1]
    const facts = { lastError: outcome.error.slice(0, 1000), next }
    if (wait === undefined) return { ...facts, state: "dead" as const, nextAttemptAt: null, settledAt: now }
    return { ...facts, state: "pending" as const, nextAttemptAt: new Date(Date.parse(now) + wait).toISOString() }
  }
}

async function whatFollows(change: Change, delivery: Delivery): Promise<NewEvent[]> {
  const told = delivery.kind === "order" && delivery.tag?.startsWith("team:") ? [orderSettled(delivery)] : []
  if (delivery.state === "dead") return [...told, failed(delivery)]
  if (delivery.kind === "answer") return answerArrived(change, delivery)
  if (delivery.kind === "call") await callTaken(change, delivery)
  return told
}

async function callTaken({ db, now }: Change, { lane }: Delivery): Promise<void> {
  const table = lane.startsWith("channel:") ? "channels" : "pushSubscriptions"
  await db.updateTable(table).set({ lastSentAt: now }).where("uuid", "=", subjectOf(lane)).execute()
}

async function answerArrived({ db, now }: Change, { tag }: Delivery): Promise<NewEvent[]> {
  const attention = await db
    .updateTable("attentions")
    .set({ deliveredAt: now })
    .where("uuid", "=", subjectOf(tag))
    .where("deliveredAt", "is", null)
    .returningAll()
    .executeTakeFirst()
  return attention === undefined ? [] : [(await attentionEvent(db, attention, now, "attention.delivered")).event]
}

function orderSettled({ uuid, state, tag, lastError, settledAt }: Delivery): NewEvent {
  const arrived = state === "delivered"
  const patch = { teamUuid: subjectOf(tag), deliveredAt: arrived ? settledAt : null, error: arrived ? null : lastError }
  return {
    kind: arrived ? "order.delivered" : "order.failed",
    entityType: "team_order",
    entityUuid: uuid,
    projectUuid: null,
    action: "updated",
    patch,
  }
}

function failed({ uuid, kind, title, state, attempts, lastError, next, settledAt }: Delivery): NewEvent {
  return {
    kind: "delivery.failed",
    entityType: "delivery",
    entityUuid: uuid,
    projectUuid: null,
    action: "updated",
    patch: { uuid, kind, title, state, attempts, lastError, next, settledAt },
  }
}

/** What a lane or a tag names: `attention:<uuid>`, `team:<uuid>`, `run:<uuid>`, `push:<uuid>`. */
export function subjectOf(name: string | null): string {
  return name?.slice(name.indexOf(":") + 1) ?? ""
}
