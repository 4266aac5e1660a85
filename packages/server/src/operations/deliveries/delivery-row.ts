import type { deliveries } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import type { Delivery } from "../../deliveries/outbox.ts"
import { subjectOf } from "../../deliveries/settle.ts"
import { nameOf } from "../channels/channels.ts"
import { namesOf } from "../../operation.ts"

export async function deliveryRows(db: Db, rows: readonly Delivery[]): Promise<deliveries.DeliveryRow[]> {
  const nameOf = await namesOf(
    db,
    rows.map(({ byUuid }) => byUuid),
  )
  const to = await destinations(
    db,
    rows.map(({ lane }) => subjectOf(lane)),
  )
  return rows.map(({ lane, byUuid, ...row }) => ({
    uuid: row.uuid,
    kind: row.kind,
    title: row.title,
    to: to.get(subjectOf(lane)) ?? lane,
    by: nameOf(byUuid === null ? null : "user", byUuid),
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.nextAttemptAt,
    lastError: row.lastError,
    next: row.next,
    createdAt: row.createdAt,
    settledAt: row.settledAt,
  }))
}

/** What people call where a delivery goes. */
async function destinations(db: Db, uuids: readonly string[]): Promise<Map<string, string>> {
  if (uuids.length === 0) return new Map()
  const webhooks = await db.selectFrom("webhooks").select(["uuid", "url as name"]).where("uuid", "in", uuids).execute()
  const bridges = await db.selectFrom("bridges").select(["uuid", "origin as name"]).where("uuid", "in", uuids).execute()
  const machines = await db.selectFrom("machines").select(["uuid", "name"]).where("uuid", "in", uuids).execute()
  const browsers = await db
    .selectFrom("pushSubscriptions")
    .select(["uuid", "browser as name"])
    .where("uuid", "in", uuids)
    .execute()
  const channels = await db
    .selectFrom("channels")
    .select(["uuid", "kind", "address", "chat"])
    .where("uuid", "in", uuids)
    .execute()
  const named = channels.map(({ uuid, kind, address, chat }) => ({ uuid, name: nameOf(kind, address, chat) }))
  return new Map(
    [...named, ...webhooks, ...bridges, ...machines, ...browsers].flatMap(({ uuid, name }) =>
      name === null ? [] : [[uuid, name]],
    ),
  )
}
