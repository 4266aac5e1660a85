import type { Db } from "@chorus/store"
import type { Actor } from "./actor.ts"
import { notFound } from "./faults.ts"

interface Place {
  workspaceUuid: string
  projectUuid: string | null
}

type Find = (db: Db, uuid: string) => Promise<Place | undefined>

interface Reference {
  noun: string
  find: Find
}

const project: Reference = {
  noun: "project",
  find: (db, uuid) =>
    db.selectFrom("projects").select(["workspaceUuid", "uuid as projectUuid"]).where("uuid", "=", uuid).executeTakeFirst(),
}

const group: Reference = { noun: "project group", find: (db, uuid) => inWorkspace(db, "projectGroups", uuid) }
const agent: Reference = { noun: "agent", find: (db, uuid) => inWorkspace(db, "agents", uuid) }
const user: Reference = { noun: "person", find: (db, uuid) => inWorkspace(db, "users", uuid) }

/** Which input fields name something, and how to find where it lives. */
const REFERENCES: Record<string, Reference> = {
  projectUuid: project,
  targetProjectUuid: project,
  groupUuid: group,
  agentUuid: agent,
  userUuid: user,
}

/**
 * Refuses an input that names something in another workspace or outside the caller's projects.
 * Held here, before any operation runs, so that none can forget it; the answer is the same as for an id that does not exist.
 */
export async function assertReach(db: Db, actor: Actor, input: unknown): Promise<void> {
  if (typeof input !== "object" || input === null) return
  for (const [field, value] of Object.entries(input)) {
    const reference = REFERENCES[field]
    if (reference === undefined) continue
    for (const uuid of Array.isArray(value) ? value : [value]) {
      if (typeof uuid !== "string") continue
      const place = await reference.find(db, uuid)
      if (place === undefined || !withinReach(actor, place)) throw notFound(reference.noun, uuid)
    }
  }
}

export function withinReach(actor: Actor, place: Place): boolean {
  if (place.workspaceUuid !== actor.workspaceUuid) return false
  return place.projectUuid === null || actor.projectUuids === null || actor.projectUuids.has(place.projectUuid)
}

async function inWorkspace(db: Db, table: "projectGroups" | "agents" | "users", uuid: string): Promise<Place | undefined> {
  const row = await db.selectFrom(table).select("workspaceUuid").where("uuid", "=", uuid).executeTakeFirst()
  return row && { workspaceUuid: row.workspaceUuid, projectUuid: null }
}
