import { agents, ChorusError } from "@chorus/contracts"
import { type Db, lock, type Schema } from "@chorus/store"
import { type Actor, forbidden, notFound, operation, type OperationContext, readPage } from "../../operation.ts"
import { newToken, tokenHash } from "../../sign-in/token.ts"
import { agentRow, changedFields, keyRow } from "./agent-row.ts"

export const createAgent = operation(agents.createAgent, async ({ db, actor, now, newId, emit }, input) => {
  await assertProjects(db, actor, input.projectUuids ?? [])
  const row = await db
    .insertInto("agents")
    .values({
      uuid: newId(),
      workspaceUuid: actor.workspaceUuid,
      ownerUuid: actor.type === "user" ? actor.uuid : null,
      name: input.name,
      persona: input.persona ?? null,
      systemPrompt: input.systemPrompt ?? null,
      presets: JSON.stringify(input.presets ?? ["developer"]),
      permissions: JSON.stringify(input.permissions ?? []),
      projectUuids: input.projectUuids ? JSON.stringify(input.projectUuids) : null,
      lastActiveAt: null,
      createdAt: now,
      archivedAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const agent = agentRow(row)
  emit({
    kind: "agent.created",
    entityType: "agent",
    entityUuid: row.uuid,
    projectUuid: null,
    action: "created",
    patch: agent,
  })
  return agent
})

export const updateAgent = operation(agents.updateAgent, async (context, input) => {
  const { db, actor, now, emit } = context
  await lock(context, `agent:${input.agentUuid}`)
  await assertOwns(db, actor, input.agentUuid)
  await assertProjects(db, actor, input.projectUuids ?? [])
  if (input.ownerUuid !== undefined) assertMayGive(actor)
  const before = agentRow(
    await db.selectFrom("agents").selectAll().where("uuid", "=", input.agentUuid).executeTakeFirstOrThrow(),
  )
  const changes = {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.persona === undefined ? {} : { persona: input.persona }),
    ...(input.systemPrompt === undefined ? {} : { systemPrompt: input.systemPrompt }),
    ...(input.presets === undefined ? {} : { presets: JSON.stringify(input.presets) }),
    ...(input.permissions === undefined ? {} : { permissions: JSON.stringify(input.permissions) }),
    ...(input.projectUuids === undefined
      ? {}
      : { projectUuids: input.projectUuids && JSON.stringify(input.projectUuids) }),
    ...(input.ownerUuid === undefined ? {} : { ownerUuid: input.ownerUuid }),
    ...(input.archived === undefined ? {} : { archivedAt: input.archived ? now : null }),
  }
  if (Object.keys(changes).length === 0) return before
  const row = await db
    .updateTable("agents")
    .set(changes)
    .where("uuid", "=", input.agentUuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  const agent = agentRow(row)
  const patch = changedFields(before, agent)
  if (Object.keys(patch).length > 0)
    emit({
      kind: "agent.updated",
      entityType: "agent",
      entityUuid: row.uuid,
      projectUuid: null,
      action: "updated",
      patch,
    })
  return agent
})

export const listAgents = operation(agents.listAgents, async ({ db, actor }, input) => {
  let query = db.selectFrom("agents").where("workspaceUuid", "=", actor.workspaceUuid)
  if (!input.includeArchived) query = query.where("archivedAt", "is", null)
  const { rows, page } = await readPage(query.selectAll().orderBy("createdAt", "desc").orderBy("uuid"), input)
  return { agents: rows.map(agentRow), ...page }
})

/** An agent is changed by the person who owns it, or by those who run the workspace. */
export async function assertOwns(db: Db, actor: Actor, agentUuid: string): Promise<void> {
  const agent = await db
    .selectFrom("agents")
    .select(["ownerUuid", "name", "workspaceUuid"])
    .where("uuid", "=", agentUuid)
    .executeTakeFirst()
  if (agent === undefined || agent.workspaceUuid !== actor.workspaceUuid) throw notFound("agent", agentUuid)
  if (agent.ownerUuid === actor.uuid || actor.role === "owner" || actor.role === "admin" || actor.type === "system")
    return
  throw forbidden(`${agent.name} belongs to somebody else.`, "Ask its owner or an admin of this workspace.")
}

function assertMayGive(actor: Actor): void {
  if (actor.role === "owner" || actor.role === "admin" || actor.type === "system") return
  throw forbidden(
    "Only those who run the workspace give an agent to somebody else.",
    "Ask an owner or admin of this workspace.",
  )
}

async function assertProjects(db: Db, actor: Actor, projectUuids: readonly string[]): Promise<void> {
  for (const uuid of projectUuids) {
    const project = await db.selectFrom("projects").select("workspaceUuid").where("uuid", "=", uuid).executeTakeFirst()
    if (project?.workspaceUuid !== actor.workspaceUuid) throw notFound("project", uuid)
  }
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

export const createKey = operation(agents.createKey, async (context, input) => {
  await assertOwns(context.db, context.actor, input.agentUuid)
  const lifeMs = input.expiresInDays === undefined ? undefined : input.expiresInDays * DAY_MS
  return addKey(context, { agentUuid: input.agentUuid, name: input.name, lifeMs })
})

export const listKeys = operation(agents.listKeys, async ({ db, actor }, input) => {
  let query = db
    .selectFrom("apiKeys as k")
    .innerJoin("agents as a", "a.uuid", "k.agentUuid")
    .where("a.workspaceUuid", "=", actor.workspaceUuid)
  if (input.agentUuid !== undefined) query = query.where("k.agentUuid", "=", input.agentUuid)
  const { rows, page } = await readPage(query.selectAll("k").orderBy("k.createdAt", "desc").orderBy("k.uuid"), input)
  return { keys: rows.map(keyRow), ...page }
})

export const revokeKey = operation(agents.revokeKey, async (context, { keyUuid }) => {
  const { db, actor } = context
  const key = await findKey(context, keyUuid)
  await assertOwns(db, actor, key.agentUuid)
  return keyRow(key.revokedAt === null ? await endKey(context, keyUuid) : key)
})

export const rotateKey = operation(agents.rotateKey, async (context, { keyUuid, graceMinutes }) => {
  const { db, actor, now, emit } = context
  const key = await findKey(context, keyUuid)
  await assertOwns(db, actor, key.agentUuid)
  const ends = laterThan(now, graceMinutes * MINUTE_MS)
  const end =
    graceMinutes === 0
      ? { revokedAt: now }
      : { expiresAt: key.expiresAt !== null && key.expiresAt < ends ? key.expiresAt : ends }
  const ended = await db
    .updateTable("apiKeys")
    .set(end)
    .where("uuid", "=", keyUuid)
    .where("revokedAt", "is", null)
    .where((where) => where.or([where("expiresAt", "is", null), where("expiresAt", ">", now)]))
    .returning("uuid")
    .executeTakeFirst()
  if (ended === undefined) {
    throw new ChorusError("key_ended", "This key was revoked or has expired.", {
      status: 409,
      next: "Make a new key for the agent (chorus_create_key).",
    })
  }
  emit({
    kind: graceMinutes === 0 ? "key.revoked" : "key.updated",
    entityType: "key",
    entityUuid: keyUuid,
    projectUuid: null,
    action: "updated",
    patch: end,
  })
  const lifeMs = key.expiresAt === null ? undefined : Date.parse(key.expiresAt) - Date.parse(key.createdAt)
  return addKey(context, { agentUuid: key.agentUuid, name: key.name, lifeMs })
})

/** Makes a key; it is shown this once. */
export async function addKey(
  { db, now, newId, emit }: OperationContext,
  { agentUuid, name, lifeMs }: { agentUuid: string; name: string; lifeMs: number | undefined },
) {
  const key = `cho_${newToken()}`
  const row = await db
    .insertInto("apiKeys")
    .values({
      uuid: newId(),
      agentUuid,
      name,
      prefix: key.slice(0, 10),
      hash: tokenHash(key),
      createdAt: now,
      expiresAt: lifeMs === undefined ? null : laterThan(now, lifeMs),
      lastUsedAt: null,
      revokedAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  emit({
    kind: "key.created",
    entityType: "key",
    entityUuid: row.uuid,
    projectUuid: null,
    action: "created",
    patch: keyRow(row),
  })
  return { ...keyRow(row), key }
}

/** From now on nobody comes in with it. */
export async function endKey({ db, now, emit }: OperationContext, keyUuid: string): Promise<Schema["apiKeys"]> {
  const patch = { revokedAt: now }
  emit({ kind: "key.revoked", entityType: "key", entityUuid: keyUuid, projectUuid: null, action: "updated", patch })
  return db.updateTable("apiKeys").set(patch).where("uuid", "=", keyUuid).returningAll().executeTakeFirstOrThrow()
}

async function findKey(
  { db, actor }: Pick<OperationContext, "db" | "actor">,
  keyUuid: string,
): Promise<Schema["apiKeys"]> {
  const key = await db
    .selectFrom("apiKeys as k")
    .innerJoin("agents as a", "a.uuid", "k.agentUuid")
    .selectAll("k")
    .where("k.uuid", "=", keyUuid)
    .where("a.workspaceUuid", "=", actor.workspaceUuid)
    .executeTakeFirst()
  if (key === undefined) throw notFound("key", keyUuid)
  return key
}

function laterThan(now: string, ms: number): string {
  return new Date(Date.parse(now) + ms).toISOString()
}
