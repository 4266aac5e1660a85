import { agents } from "@chorus/contracts"
import { type Db, lock } from "@chorus/store"
import { sql } from "kysely"
import { type Actor, forbidden, notFound, offsetOf, operation, pageOf } from "../../operation.ts"
import { agentRow, changedFields } from "./agent-row.ts"

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
  const row = await db
    .updateTable("agents")
    .set({
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
    })
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
  const rows = await query
    .selectAll()
    .orderBy("createdAt", "desc")
    .orderBy("uuid")
    .offset(offsetOf(input))
    .limit(input.pageSize)
    .execute()
  const { total } = await query.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { agents: rows.map(agentRow), ...pageOf(input, rows.length, total) }
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
