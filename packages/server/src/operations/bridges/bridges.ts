import { randomBytes } from "node:crypto"
import { bridges } from "@chorus/contracts"
import { lastPosition, type Schema } from "@chorus/store"
import { bridgeLane } from "../../bridges/outbox.ts"
import { closeLane } from "../../deliveries/outbox.ts"
import { notFound, operation, readPage } from "../../operation.ts"
import { assertMayReachInside } from "../webhooks/inside.ts"

export const createBridge = operation(bridges.createBridge, async ({ db, actor, now, newId, emit }, input) => {
  const { projectUuid, origin, token, allowPrivate } = input
  if (allowPrivate) assertMayReachInside(actor)
  const { forgeOf } = await import("@chorus/trackers")
  const api = (input.api ?? forgeOf(origin)?.api ?? "").replace(/\/+$/, "")
  const secret = randomBytes(32).toString("base64url")
  const renewed = { api, token, secret, allowPrivate: allowPrivate ? 1 : 0, createdByUuid: actor.uuid, updatedAt: now }
  const uuid = newId()
  const row = await db
    .insertInto("bridges")
    .values({
      uuid,
      workspaceUuid: actor.workspaceUuid,
      projectUuid,
      origin,
      lastEvent: await lastPosition(db, actor.workspaceUuid),
      createdAt: now,
      ...renewed,
    })
    .onConflict((conflict) => conflict.columns(["projectUuid", "origin"]).doUpdateSet(renewed))
    .returningAll()
    .executeTakeFirstOrThrow()
  const bridge = bridgeRow(row)
  emit({
    kind: "bridge.created",
    entityType: "bridge",
    entityUuid: row.uuid,
    projectUuid,
    action: row.uuid === uuid ? "created" : "updated",
    patch: bridge,
  })
  return { ...bridge, secret, path: `/api/bridges/${row.uuid}` }
})

export const deleteBridge = operation(bridges.deleteBridge, async (context, { bridgeUuid }) => {
  const { db, actor, emit } = context
  const row = await db
    .deleteFrom("bridges")
    .where("uuid", "=", bridgeUuid)
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw notFound("bridge", bridgeUuid)
  await closeLane(context, bridgeLane(bridgeUuid))
  emit({
    kind: "bridge.deleted",
    entityType: "bridge",
    entityUuid: bridgeUuid,
    projectUuid: row.projectUuid,
    action: "deleted",
    patch: {},
  })
  return { uuid: bridgeUuid, deleted: true as const }
})

export const listBridges = operation(bridges.listBridges, async ({ db, actor }, page) => {
  const all = db.selectFrom("bridges").where("workspaceUuid", "=", actor.workspaceUuid)
  const { rows, page: paging } = await readPage(all.selectAll().orderBy("createdAt", "desc").orderBy("uuid"), page)
  return { bridges: rows.map(bridgeRow), ...paging }
})

function bridgeRow(row: Schema["bridges"]): bridges.BridgeRow {
  const { uuid, projectUuid, origin, api, createdAt, updatedAt } = row
  return { uuid, projectUuid, origin, api, allowPrivate: row.allowPrivate === 1, createdAt, updatedAt }
}
