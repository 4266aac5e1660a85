import { workspace } from "@chorus/contracts"
import { inStretches, lastPosition, type Schema, SCHEMA_VERSION, toLogEvent } from "@chorus/store"
import { sql } from "kysely"
import { costly, operation, readPage } from "../../operation.ts"
import { linesFor } from "../activity/activity.ts"
import { MCP_VERSIONS, VERSION } from "../../version.ts"

export const health = operation(workspace.health, async ({ db, engine, damage }) => {
  await sql`select 1`.execute(db)
  const found = damage()
  if (found !== undefined) throw found
  return { status: "ok" as const, version: VERSION, engine, schema: SCHEMA_VERSION }
})

export const version = operation(workspace.version, async () => ({
  version: VERSION,
  node: process.versions.node,
  mcp: [...MCP_VERSIONS],
}))

export const whoami = operation(workspace.whoami, async ({ actor }) => ({
  type: actor.type,
  uuid: actor.uuid,
  name: actor.name,
  role: actor.role,
  workspaceUuid: actor.workspaceUuid,
  permissions: [...actor.permissions],
  projectUuids: actor.projectUuids && [...actor.projectUuids],
}))

export const listEvents = costly(workspace.listEvents, async ({ db, actor }, input) => {
  let query = linesFor(db, actor).selectAll()
  if (input.projectUuid !== undefined) query = query.where("projectUuid", "=", input.projectUuid)
  if (actor.projectUuids !== null) query = query.where("projectUuid", "in", [...actor.projectUuids])
  if (input.kind !== undefined) query = query.where("kind", "=", input.kind)
  if (input.entityUuid !== undefined) query = query.where("entityUuid", "=", input.entityUuid)
  const last = await lastPosition(db, actor.workspaceUuid)
  const rows: Schema["events"][] = []
  await inStretches({ from: Math.min(last, (input.before ?? Infinity) - 1) }, async (low, high) => {
    const stretch = query.where((event) => event.between("id", low, high))
    // The order says no more, but leads to the index by kind.
    const byKind = input.kind === undefined ? stretch : stretch.orderBy("workspaceUuid").orderBy("kind")
    const here = byKind.orderBy("id", "desc")
    rows.push(...(await here.limit(input.limit - rows.length).execute()))
    return rows.length === input.limit
  })
  return { events: rows.map(toLogEvent), last }
})

export const listMembers = operation(workspace.listMembers, async ({ db, actor }, input) => {
  const people = db.selectFrom("users").where("workspaceUuid", "=", actor.workspaceUuid)
  const { rows: members, page } = await readPage(
    people.select(["uuid", "name", "email", "role", "createdAt", "disabledAt"]).orderBy("createdAt").orderBy("uuid"),
    input,
  )
  // An agent addresses people by name; where they get their mail is none of its business.
  const shown = actor.type === "agent" ? members.map((member) => ({ ...member, email: null })) : members
  return { members: shown, ...page }
})
