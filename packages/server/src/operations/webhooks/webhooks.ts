import { randomBytes } from "node:crypto"
import { webhooks } from "@chorus/contracts"
import { lastPosition, type Schema } from "@chorus/store"
import { sql } from "kysely"
import { notFound, offsetOf, operation, type OperationContext, pageOf } from "../../operation.ts"

export const createWebhook = operation(webhooks.createWebhook, async ({ db, actor, now, newId, emit }, input) => {
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
    const before = await findWebhook(context, webhookUuid)
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
  const rows = await all
    .selectAll()
    .orderBy("createdAt", "desc")
    .orderBy("uuid")
    .offset(offsetOf(page))
    .limit(page.pageSize)
    .execute()
  const { total } = await all.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { webhooks: rows.map(webhookRow), ...pageOf(page, rows.length, total) }
})

export const listDeliveries = operation(webhooks.listDeliveries, async (context, { webhookUuid, status, ...page }) => {
  const { db } = context
  await findWebhook(context, webhookUuid)
  let all = db.selectFrom("webhookDeliveries").where("webhookUuid", "=", webhookUuid)
  if (status !== undefined) all = all.where("status", "=", status)
  const deliveries = await all
    .selectAll()
    .orderBy("eventId", "desc")
    .offset(offsetOf(page))
    .limit(page.pageSize)
    .execute()
  const { total } = await all.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { deliveries, ...pageOf(page, deliveries.length, total) }
})

export const redeliver = operation(webhooks.redeliver, async (context, { webhookUuid, deliveryUuid }) => {
  const { db, now, emit } = context
  const webhook = await findWebhook(context, webhookUuid)
  const row = await db
    .updateTable("webhookDeliveries")
    .set({ status: "pending", attempts: 0, nextAttemptAt: now, deliveredAt: null })
    .where("uuid", "=", deliveryUuid)
    .where("webhookUuid", "=", webhookUuid)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw notFound("delivery", deliveryUuid)
  emit({
    kind: "webhook.redelivered",
    entityType: "webhook",
    entityUuid: webhookUuid,
    projectUuid: webhook.projectUuid,
    action: "updated",
    patch: {},
  })
  return row
})

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

function newSecret(): string {
  return randomBytes(32).toString("base64url")
}
