import { createHash } from "node:crypto"
import { ChorusError } from "@chorus/contracts"
import { personPermissions } from "@chorus/core"
import type { Db } from "@chorus/store"
import type { Actor } from "../actor.ts"
import { permissionsOf, projectsOf } from "../operations/agents/agent-row.ts"

export const SESSION_COOKIE = "chorus_session"

/** What a request brings to say who it is. */
export interface Credentials {
  readonly authorization: string | undefined
  readonly sessionToken: string | undefined
}

/** Finds out who calls. Nobody is fine (undefined); a key or cookie that does not hold is refused by name. */
export async function authenticate(db: Db, credentials: Credentials, now: string): Promise<Actor | undefined> {
  if (credentials.authorization !== undefined) return agentByKey(db, credentials.authorization, now)
  if (credentials.sessionToken !== undefined) return personBySession(db, credentials.sessionToken, now)
  return undefined
}

async function agentByKey(db: Db, authorization: string, now: string): Promise<Actor> {
  const key = /^Bearer +(cho_[\w-]{43})$/i.exec(authorization)?.[1]
  if (key === undefined) throw refused("key_malformed", "The Authorization header does not hold a Chorus key.")
  const row = await db
    .selectFrom("apiKeys as k")
    .innerJoin("agents as a", "a.uuid", "k.agentUuid")
    .select(["k.uuid as keyUuid", "k.expiresAt", "k.revokedAt", "k.lastUsedAt"])
    .select(["a.uuid", "a.name", "a.workspaceUuid", "a.ownerUuid", "a.presets", "a.permissions", "a.projectUuids", "a.archivedAt"])
    .where("k.hash", "=", tokenHash(key))
    .executeTakeFirst()
  if (row === undefined) throw refused("key_unknown", "This key is not known here.")
  if (row.revokedAt !== null) throw refused("key_revoked", "This key was revoked.")
  if (row.expiresAt !== null && row.expiresAt <= now) throw refused("key_expired", "This key has expired.")
  if (row.archivedAt !== null) throw refused("agent_archived", `The agent ${row.name} is archived.`)
  const projects = projectsOf(row)
  return {
    type: "agent",
    uuid: row.uuid,
    name: row.name,
    workspaceUuid: row.workspaceUuid,
    role: null,
    permissions: permissionsOf(row),
    projectUuids: projects && new Set(projects),
    ownerUuid: row.ownerUuid,
  }
}

async function personBySession(db: Db, token: string, now: string): Promise<Actor | undefined> {
  const hash = tokenHash(token)
  const row = await db
    .selectFrom("signIns as s")
    .innerJoin("users as u", "u.uuid", "s.userUuid")
    .select(["u.uuid", "u.name", "u.workspaceUuid", "u.role", "u.disabledAt", "s.expiresAt", "s.revokedAt"])
    .where((where) => where.or([where("s.hash", "=", hash), where("s.previousHash", "=", hash)]))
    .executeTakeFirst()
  // An ended session is simply nobody: the page then shows the sign-in form.
  if (row === undefined || row.revokedAt !== null || row.disabledAt !== null || row.expiresAt <= now) return undefined
  return {
    type: "user",
    uuid: row.uuid,
    name: row.name,
    workspaceUuid: row.workspaceUuid,
    role: row.role,
    permissions: personPermissions(row.role),
    projectUuids: null,
    ownerUuid: null,
  }
}

/** Tokens are random, so a plain digest is enough to store and to look up by. */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("base64url")
}

function refused(code: string, message: string): ChorusError {
  return new ChorusError(code, message, {
    status: 401,
    next: "Make a new key for this agent (page: Settings → Agents, or `chorus agent key NAME`) and use that.",
  })
}
