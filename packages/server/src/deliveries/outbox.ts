import type { NewEvent } from "@chorus/contracts"
import { lock, type Schema } from "@chorus/store"
import type { OperationContext } from "../operation.ts"
import { expiryOf, isFetched } from "./policy.ts"

export type Delivery = Schema["deliveries"]

export interface NewDelivery extends Pick<Delivery, "workspaceUuid" | "lane" | "kind" | "title"> {
  readonly payload: object
  /** For what may be said more than once; a new one when left out. */
  readonly uuid?: string
  readonly thread?: string
  readonly tag?: string
  readonly byUuid?: string
  /** At once when left out. */
  readonly dueAt?: string
}

type Context = Pick<OperationContext, "db" | "engine" | "now" | "newId" | "emit">

/**
 * Puts something on its way, in the change that gives rise to it. The log says so where somebody waits for it: a
 * machine that fetches its own, or whoever sends what is due at once.
 */
export async function enqueue(context: Context, delivery: NewDelivery): Promise<string> {
  const { db, now, newId, emit } = context
  await lock(context, delivery.lane)
  const last = await db
    .selectFrom("deliveries")
    .select(({ fn }) => fn.max("place").as("place"))
    .where("lane", "=", delivery.lane)
    .executeTakeFirst()
  const row = newDelivery(delivery, { uuid: delivery.uuid ?? newId(), place: (last?.place ?? 0) + 1, now })
  await db.insertInto("deliveries").values(row).execute()
  if (isFetched(row.kind) || delivery.dueAt === undefined) emit(queued(row))
  return row.uuid
}

export function newDelivery(
  { payload, thread, tag, byUuid, dueAt, ...delivery }: NewDelivery,
  { uuid, place, now }: { uuid: string; place: number; now: string },
): Delivery {
  return {
    ...delivery,
    uuid,
    place,
    thread: thread ?? null,
    tag: tag ?? null,
    payload: JSON.stringify(payload),
    byUuid: byUuid ?? null,
    state: "pending",
    attempts: 0,
    nextAttemptAt: dueAt ?? now,
    expiresAt: expiryOf(delivery.kind, now),
    responseStatus: null,
    lastError: null,
    next: null,
    createdAt: now,
    settledAt: null,
  }
}

/**
 * Takes back what has not arrived, and says whether there was any: it is over, or something newer about the same takes
 * its place.
 */
export async function withdraw(
  { db }: Pick<OperationContext, "db">,
  kind: Delivery["kind"],
  tag: string,
): Promise<boolean> {
  const gone = await db
    .deleteFrom("deliveries")
    .where("tag", "=", tag)
    .where("kind", "=", kind)
    .where("state", "=", "pending")
    .returning("uuid")
    .execute()
  return gone.length > 0
}

/** Puts it on its way once more, under the same mark. */
export async function sendAgain({ db, now }: Pick<OperationContext, "db" | "now">, uuid: string): Promise<Delivery> {
  const { kind } = await db.selectFrom("deliveries").select("kind").where("uuid", "=", uuid).executeTakeFirstOrThrow()
  return db
    .updateTable("deliveries")
    .set({ state: "pending", attempts: 0, nextAttemptAt: now, expiresAt: expiryOf(kind, now), settledAt: null })
    .where("uuid", "=", uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Lets what waits in a lane rest, or go on. */
export async function rest({ db, now }: Pick<OperationContext, "db" | "now">, lane: string, rests: boolean) {
  const waiting = db
    .updateTable("deliveries")
    .set({ nextAttemptAt: rests ? null : now })
    .where("lane", "=", lane)
    .where("state", "=", "pending")
  await (rests ? waiting : waiting.where("nextAttemptAt", "is", null)).execute()
}

/** Nobody is there any more to whom it could go. */
export async function closeLane({ db }: Pick<OperationContext, "db">, lane: string): Promise<void> {
  await db.deleteFrom("deliveries").where("lane", "=", lane).execute()
}

export function queued({ uuid, kind, title, lane }: Delivery): NewEvent {
  return {
    kind: "delivery.queued",
    entityType: "delivery",
    entityUuid: uuid,
    projectUuid: null,
    action: "updated",
    patch: { uuid, kind, title, lane, state: "pending" },
  }
}
