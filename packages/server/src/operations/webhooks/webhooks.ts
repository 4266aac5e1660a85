import { randomBytes } from "node:crypto"
import { ChorusError, EVENT_KINDS, webhooks } from "@chorus/contracts"
import { lastPosition, type Schema } from "@chorus/store"
import { closeLane, type Delivery, rest, sendAgain } from "../../deliveries/outbox.ts"
import { subjectOf } from "../../deliveries/settle.ts"
import { notFound, operation, type OperationContext, readPage } from "../../operation.ts"
import { likest } from "../../unknown-fields.ts"
import { isToldToWebhooks, webhookLane } from "../../webhooks/outbox.ts"
import { assertMayReachInside } from "./inside.ts"

export const createWebhook = operation(webhooks.createWebhook, async ({ db, actor, now, newId, emit }, input) => {
  assertCanFire(input.kinds)
  if (input.allowPrivate) assertMayReachInside(actor)
  const secret = newSecret()
  const row: Schema["webhooks"] = {
    uuid: newId(),
    workspaceUuid: actor.workspaceUuid,
    projectUuid: input.projectUuid ?? null,
    url: input.url,
    secret,
    kinds: JSON.stringify(input.kinds),
    active: 1,
    allowPrivate: input.allowPrivate ? 1 : 0,
    lastEvent: await lastPosition(db, actor.workspaceUuid),
    createdByUuid: actor.uuid,
    createdAt: now,
    updatedAt: now,
  }
  await db.insertInto("webhooks").values(row).execute()
  const webhook = webhookRow(row)
  emit({
    kind: "webhook.created",
    entityType: "webhook",
    entityUuid: row.uuid,
    projectUuid: row.projectUuid,
    action: "created",
    patch: webhook,
  })
  return { ...webhook, secret }
})

export const updateWebhook = operation(
  webhooks.updateWebhook,
  async (context, { webhookUuid, renewSecret, ...input }) => {
    const { db, actor, now, emit } = context
    assertCanFire(input.kinds ?? [])
    const before = await findWebhook(context, webhookUuid)
    // What was allowed to one address is not allowed to another.
    if (input.allowPrivate ?? (before.allowPrivate === 1 && input.url !== undefined)) assertMayReachInside(actor)
    const secret = renewSecret ? newSecret() : undefined
    const resumes = input.active === true && before.active === 0
    const row = await db
      .updateTable("webhooks")
      .set({
        ...(input.url === undefined ? {} : { url: input.url }),
        ...(input.kinds === undefined ? {} : { kinds: JSON.stringify(input.kinds) }),
        ...(input.active === undefined ? {} : { active: input.active ? 1 : 0 }),
        ...(input.allowPrivate === undefined ? {} : { allowPrivate: input.allowPrivate ? 1 : 0 }),
        ...(secret === undefined ? {} : { secret }),
        // What happened while it was paused is not sent afterwards.
        ...(resumes ? { lastEvent: await lastPosition(db, actor.workspaceUuid) } : {}),
        updatedAt: now,
      })
      .where("uuid", "=", webhookUuid)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (row.active !== before.active) await rest(context, webhookLane(webhookUuid), row.active === 0)
    const webhook = webhookRow(row)
    emit({
      kind: "webhook.updated",
      entityType: "webhook",
      entityUuid: row.uuid,
      projectUuid: row.projectUuid,
      action: "updated",
      patch: webhook,
    })
    return { ...webhook, ...(secret === undefined ? {} : { secret }) }
  },
)

export const deleteWebhook = operation(webhooks.deleteWebhook, async (context, { webhookUuid }) => {
  const { db, emit } = context
  const row = await findWebhook(context, webhookUuid)
  await db.deleteFrom("webhooks").where("uuid", "=", webhookUuid).execute()
  await closeLane(context, webhookLane(webhookUuid))
  emit({
    kind: "webhook.deleted",
    entityType: "webhook",
    entityUuid: webhookUuid,
    projectUuid: row.projectUuid,
    action: "deleted",
    patch: {},
  })
  return { uuid: webhookUuid, deleted: true as const }
})

export const listWebhooks = operation(webhooks.listWebhooks, async ({ db, actor }, page) => {
  const all = db.selectFrom("webhooks").where("workspaceUuid", "=", actor.workspaceUuid)
  const { rows, page: paging } = await readPage(all.selectAll().orderBy("createdAt", "desc").orderBy("uuid"), page)
  return { webhooks: rows.map(webhookRow), ...paging }
})

export const listWebhookDeliveries = operation(
  webhooks.listWebhookDeliveries,
  async (context, { webhookUuid, status, ...page }) => {
    const { db } = context
    await findWebhook(context, webhookUuid)
    let all = db.selectFrom("deliveries").where("lane", "=", webhookLane(webhookUuid))
    if (status !== undefined) all = all.where("state", "=", status === "failed" ? "dead" : status)
    const { rows, page: paging } = await readPage(all.selectAll().orderBy("place", "desc"), page)
    return { deliveries: rows.map(deliveryRow), ...paging }
  },
)

export const redeliverWebhook = operation(webhooks.redeliverWebhook, async (context, { webhookUuid, deliveryUuid }) => {
  const { db, emit } = context
  const webhook = await findWebhook(context, webhookUuid)
  const known = await db
    .selectFrom("deliveries")
    .select("uuid")
    .where("uuid", "=", deliveryUuid)
    .where("lane", "=", webhookLane(webhookUuid))
    .executeTakeFirst()
  if (known === undefined) throw notFound("delivery", deliveryUuid)
  const row = await sendAgain(context, deliveryUuid)
  emit({
    kind: "webhook.redelivered",
    entityType: "webhook",
    entityUuid: webhookUuid,
    projectUuid: webhook.projectUuid,
    action: "updated",
    patch: {},
  })
  return deliveryRow(row)
})

const FIRING: readonly string[] = Object.entries(EVENT_KINDS)
  .filter(([, { entity }]) => isToldToWebhooks(entity))
  .flatMap(([kind]) => [kind, `${kind.slice(0, kind.indexOf("."))}.*`])

/** A webhook whose kind nothing is ever called would stay silent, and nobody would hear why. */
function assertCanFire(kinds: readonly string[]): void {
  const unknown = kinds.find((kind) => kind !== "*" && !FIRING.includes(kind))
  if (unknown === undefined) return
  const meant = likest(unknown, FIRING)
  throw new ChorusError("unknown_event_kind", `No event that a webhook is sent is called "${unknown}".`, {
    next: `${meant === undefined ? "" : `Did you mean "${meant}"? `}The reference of events lists every kind; \`task.*\` stands for all of a noun, \`*\` for everything.`,
    details: { kind: unknown, ...(meant === undefined ? {} : { nearest: meant }) },
  })
}

async function findWebhook({ db, actor }: OperationContext, uuid: string): Promise<Schema["webhooks"]> {
  const row = await db
    .selectFrom("webhooks")
    .selectAll()
    .where("uuid", "=", uuid)
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .executeTakeFirst()
  if (row === undefined) throw notFound("webhook", uuid)
  return row
}

function webhookRow(row: Schema["webhooks"]): webhooks.WebhookRow {
  const { uuid, projectUuid, url, createdAt, updatedAt } = row
  return {
    uuid,
    projectUuid,
    url,
    kinds: JSON.parse(row.kinds) as string[],
    active: row.active === 1,
    allowPrivate: row.allowPrivate === 1,
    createdAt,
    updatedAt,
  }
}

function deliveryRow({ state, lastError, settledAt, ...row }: Delivery): webhooks.DeliveryRow {
  const { uuid, lane, place, attempts, nextAttemptAt, responseStatus, createdAt } = row
  return {
    uuid,
    webhookUuid: subjectOf(lane),
    eventId: place,
    status: state === "dead" ? "failed" : state,
    attempts,
    nextAttemptAt,
    responseStatus,
    error: lastError,
    createdAt,
    deliveredAt: state === "delivered" ? settledAt : null,
  }
}

function newSecret(): string {
  return randomBytes(32).toString("base64url")
}
