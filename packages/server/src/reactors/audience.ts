import type { notifications, Resource } from "@chorus/contracts"
import type { Party } from "@chorus/core"
import type { Db } from "@chorus/store"
import { permissionsOf, projectsOf } from "../operations/agents/agent-row.ts"

export interface Matter {
  readonly action: notifications.NotificationAction
  readonly entityType: string
  readonly projectUuid: string | null
}

const RESOURCES: ReadonlySet<string> = new Set<Resource>(["idea", "proposal", "document", "task"])

/** Who of these may and wants to be told of something. */
export async function audience(
  db: Db,
  workspaceUuid: string,
  parties: readonly Party[],
): Promise<(party: Party, matter: Matter) => boolean> {
  const uuids = [...new Set(parties.map(({ uuid }) => uuid))]
  if (uuids.length === 0) return () => false
  const people = await db
    .selectFrom("users")
    .select("uuid")
    .where("workspaceUuid", "=", workspaceUuid)
    .where("uuid", "in", uuids)
    .where("disabledAt", "is", null)
    .execute()
  const agents = await db
    .selectFrom("agents")
    .selectAll()
    .where("workspaceUuid", "=", workspaceUuid)
    .where("uuid", "in", uuids)
    .where("archivedAt", "is", null)
    .execute()
  const chosen = await db
    .selectFrom("notificationPreferences")
    .select(["ownerUuid", "preferences"])
    .where("ownerUuid", "in", uuids)
    .execute()
  const known = new Set(people.map((row) => row.uuid))
  const agentOf = new Map(
    agents.map((row) => [row.uuid, { permissions: permissionsOf(row), projects: projectsOf(row) }]),
  )
  const preferences = new Map(
    chosen.map((row) => [row.ownerUuid, JSON.parse(row.preferences) as notifications.NotificationPreferences]),
  )
  return ({ type, uuid }, { action, entityType, projectUuid }) => {
    if (preferences.get(uuid)?.[action] === false) return false
    if (type === "user") return known.has(uuid)
    const agent = agentOf.get(uuid)
    if (agent === undefined) return false
    if (projectUuid !== null && agent.projects !== null && !agent.projects.includes(projectUuid)) return false
    return !RESOURCES.has(entityType) || agent.permissions.has(`${entityType as Resource}:read`)
  }
}
