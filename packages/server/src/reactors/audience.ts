import type { notifications, Resource } from "@chorus/contracts"
import type { Party } from "@chorus/core"
import { askedOften, type Db } from "@chorus/store"
import { type RawBuilder, sql } from "kysely"
import type { OperationContext } from "../operation.ts"
import { permissionsOf, projectsOf } from "../operations/agents/agent-row.ts"
import { isPushed } from "../operations/notifications/notifications.ts"

export interface Matter {
  readonly action: notifications.NotificationAction
  readonly entityType: string
  readonly projectUuid: string | null
}

const RESOURCES: ReadonlySet<string> = new Set<Resource>(["idea", "proposal", "document", "task"])

/** Whom a change may tell something. */
export interface Audience {
  /** Whether somebody may and wants to be told of a matter. */
  reaches(party: Party, matter: Matter): boolean
  /** Whether somebody wants to be called for such a thing at once. */
  calls(userUuid: string, action: notifications.NotificationAction): boolean
}

export async function audience(context: OperationContext, parties: readonly Party[]): Promise<Audience> {
  const uuids = [...new Set(parties.map(({ uuid }) => uuid))]
  const asked = known.get(context)
  for (const row of await (ahead.get(context) ?? [])) asked?.set(row.uuid, Promise.resolve(row))
  askAudience(
    context,
    uuids.filter((uuid) => asked?.has(uuid) !== true),
  )
  const found = await Promise.all(uuids.map((uuid) => known.get(context)?.get(uuid)))
  const those = new Map(found.flatMap((row) => (row === undefined ? [] : [[row.uuid, row]])))
  return {
    reaches({ type, uuid }, { action, entityType, projectUuid }) {
      const who = those.get(uuid)
      if (who === undefined || wishes(who.preferences)[action] === false) return false
      const { presets, permissions } = who
      if (presets === null || permissions === null) return type === "user"
      const projects = projectsOf(who)
      if (projectUuid !== null && projects !== null && !projects.includes(projectUuid)) return false
      return !RESOURCES.has(entityType) || permissionsOf({ presets, permissions }).has(`${entityType as Resource}:read`)
    },
    calls(userUuid, action) {
      const who = those.get(userUuid)
      if (who === undefined || (who.digest ?? "off") !== "off") return false
      return wishes(who.push)[action] ?? isPushed(action)
    },
  }
}

type Hearer = Awaited<ReturnType<typeof hearers.all>>[number]

const known = new WeakMap<OperationContext, Map<string, Promise<Hearer | undefined>>>()

/** Asks for those whom a change will tell, so that the question goes out with it. */
export function askAudience(context: OperationContext, those: readonly (string | null)[]): void {
  const uuids = those.filter((uuid) => uuid !== null)
  const asked = known.get(context) ?? new Map<string, Promise<Hearer | undefined>>()
  known.set(context, asked)
  if (uuids.length === 0) return
  const rows = hearers.all(context.db, context.actor.workspaceUuid, ...uuids)
  for (const uuid of uuids) {
    const one = rows.then((found) => found.find((row) => row.uuid === uuid))
    // A change that fails before anybody asks has its own error to tell.
    one.catch(() => undefined)
    asked.set(uuid, one)
  }
}

const ahead = new WeakMap<OperationContext, Promise<Hearer[]>>()

/** The same for whoever holds or made a task, before it is known who they are. */
export function askAudienceOf(context: OperationContext, taskUuid: string): void {
  const rows = tied.all(context.db, context.actor.workspaceUuid, taskUuid)
  rows.catch(() => undefined)
  known.set(context, known.get(context) ?? new Map<string, Promise<Hearer | undefined>>())
  ahead.set(context, rows)
}

const hearers = askedOften((db, workspaceUuid, ...uuids) => hearing(db, workspaceUuid, uuids))

const tied = askedOften((db, workspaceUuid, taskUuid) =>
  hearing(
    db,
    workspaceUuid,
    sql`(select "assigneeUuid" from tasks where "uuid" = ${taskUuid}
      union all select "createdByUuid" from tasks where "uuid" = ${taskUuid})`,
  ),
)

function hearing(db: Db, workspaceUuid: string, uuids: readonly string[] | RawBuilder<string>) {
  const people = db
    .selectFrom("users as w")
    .leftJoin("notificationPreferences as n", "n.ownerUuid", "w.uuid")
    .select(["w.uuid", "n.preferences", "n.push", "n.digest"])
    .select([
      sql<string | null>`null`.as("presets"),
      sql<string | null>`null`.as("permissions"),
      sql<string | null>`null`.as("projectUuids"),
    ])
    .where("w.workspaceUuid", "=", workspaceUuid)
    .where("w.uuid", "in", uuids)
    .where("w.disabledAt", "is", null)
  const agents = db
    .selectFrom("agents as w")
    .leftJoin("notificationPreferences as n", "n.ownerUuid", "w.uuid")
    .select(["w.uuid", "n.preferences", "n.push", "n.digest", "w.presets", "w.permissions", "w.projectUuids"])
    .where("w.workspaceUuid", "=", workspaceUuid)
    .where("w.uuid", "in", uuids)
    .where("w.archivedAt", "is", null)
  return people.unionAll(agents)
}

function wishes(said: string | null): Record<string, boolean> {
  return said === null ? {} : (JSON.parse(said) as Record<string, boolean>)
}
