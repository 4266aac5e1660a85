import { randomBytes } from "node:crypto"
import { agents } from "@chorus/contracts"
import { sql } from "kysely"
import { notFound } from "../../faults.ts"
import { operation } from "../../operation.ts"
import { offsetOf, pageOf } from "../../paging.ts"
import { tokenHash } from "../../sign-in/authenticate.ts"
import { keyRow } from "./agent-row.ts"
import { assertOwns } from "./agents.ts"

const DAY_MS = 86_400_000

export const createKey = operation(agents.createKey, async ({ db, actor, now, newId, emit }, input) => {
  await assertOwns(db, actor, input.agentUuid)
  const key = `cho_${randomBytes(32).toString("base64url")}`
  const row = await db
    .insertInto("apiKeys")
    .values({
      uuid: newId(),
      agentUuid: input.agentUuid,
      name: input.name,
      prefix: key.slice(0, 10),
      hash: tokenHash(key),
      createdAt: now,
      expiresAt: input.expiresInDays === undefined ? null : new Date(Date.parse(now) + input.expiresInDays * DAY_MS).toISOString(),
      lastUsedAt: null,
      revokedAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  emit({ kind: "key.created", entityType: "key", entityUuid: row.uuid, projectUuid: null, action: "created", patch: keyRow(row) })
  return { ...keyRow(row), key }
})

export const listKeys = operation(agents.listKeys, async ({ db, actor }, input) => {
  let query = db.selectFrom("apiKeys as k").innerJoin("agents as a", "a.uuid", "k.agentUuid").where("a.workspaceUuid", "=", actor.workspaceUuid)
  if (input.agentUuid !== undefined) query = query.where("k.agentUuid", "=", input.agentUuid)
  const rows = await query.selectAll("k").orderBy("k.createdAt", "desc").orderBy("k.uuid").offset(offsetOf(input)).limit(input.pageSize).execute()
  const { total } = await query.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { keys: rows.map(keyRow), ...pageOf(input, rows.length, total) }
})

export const revokeKey = operation(agents.revokeKey, async ({ db, actor, now, emit }, { keyUuid }) => {
  const key = await db.selectFrom("apiKeys").selectAll().where("uuid", "=", keyUuid).executeTakeFirst()
  if (key === undefined) throw notFound("key", keyUuid)
  await assertOwns(db, actor, key.agentUuid)
  if (key.revokedAt !== null) return keyRow(key)
  const row = await db.updateTable("apiKeys").set({ revokedAt: now }).where("uuid", "=", keyUuid).returningAll().executeTakeFirstOrThrow()
  emit({ kind: "key.revoked", entityType: "key", entityUuid: keyUuid, projectUuid: null, action: "updated", patch: { revokedAt: now } })
  return keyRow(row)
})
