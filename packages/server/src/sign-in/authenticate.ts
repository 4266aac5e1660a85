import { ChorusError, type Permission, type Role } from "@chorus/contracts"
import { personPermissions } from "@chorus/core"
import { askedOften, type Db } from "@chorus/store"
import type { Actor } from "../operation.ts"
import { permissionsOf, projectsOf } from "../operations/agents/agent-row.ts"
import { personActor } from "./person-actor.ts"
import { type PresentedSignIn, stillCounts } from "./sign-ins.ts"
import { tokenHash } from "./token.ts"

/** What a request brings to say who it is. */
export interface Credentials {
  readonly authorization: string | undefined
  readonly signInToken: string | undefined
}

/** Who calls, and by what they were known. */
export interface Identity {
  readonly actor: Actor
  readonly key?: { readonly uuid: string; readonly agentUuid: string; readonly lastUsedAt: string | null }
  readonly signIn?: PresentedSignIn
}

/** Finds out who calls. Nobody is fine (undefined); a key that does not hold is refused by name. */
export async function identify(db: Db, credentials: Credentials, now: string): Promise<Identity | undefined> {
  if (credentials.authorization !== undefined) return agentByKey(db, credentials.authorization, now)
  if (credentials.signInToken !== undefined) return personBySignIn(db, credentials.signInToken, now)
  return undefined
}

/** Whether a sign-in that was presented earlier has not ended since; its cookie may have been replaced. */
export async function personStillSignedIn(db: Db, signInUuid: string, now: string): Promise<boolean> {
  const row = await db
    .selectFrom("signIns as s")
    .innerJoin("users as u", "u.uuid", "s.userUuid")
    .select("s.uuid")
    .where("s.uuid", "=", signInUuid)
    .where("s.revokedAt", "is", null)
    .where("s.expiresAt", ">", now)
    .where("u.disabledAt", "is", null)
    .executeTakeFirst()
  return row !== undefined
}

async function agentByKey(db: Db, authorization: string, now: string): Promise<Identity> {
  const key = /^Bearer +(cho_[\w-]{43})$/i.exec(authorization)?.[1]
  if (key === undefined) throw refused("key_malformed", "The Authorization header does not hold a Chorus key.")
  const row = await keyHolder(db, tokenHash(key))
  if (row === undefined) throw refused("key_unknown", "This key is not known here.")
  if (row.revokedAt !== null) throw refused("key_revoked", "This key was revoked.")
  if (row.expiresAt !== null && row.expiresAt <= now) throw refused("key_expired", "This key has expired.")
  if (row.archivedAt !== null)
    throw refused(
      "agent_archived",
      `The agent ${row.name} is archived.`,
      "Bring it back from the archive, or use another agent's key.",
    )
  if (row.ownerDisabledAt !== null) {
    throw refused(
      "owner_disabled",
      `The person to whom ${row.name} belongs is disabled.`,
      "Let an admin of the workspace give the agent to somebody else.",
    )
  }
  const projects = projectsOf(row)
  return {
    key: { uuid: row.keyUuid, agentUuid: row.uuid, lastUsedAt: row.lastUsedAt },
    actor: {
      type: "agent",
      uuid: row.uuid,
      name: row.name,
      workspaceUuid: row.workspaceUuid,
      role: null,
      permissions: permissionsUnder(row.ownerRole, permissionsOf(row)),
      projectUuids: projects && new Set(projects),
      ownerUuid: row.ownerUuid,
      keyUuid: row.keyUuid,
    },
  }
}

const keyHolder = askedOften((db, hash) =>
  db
    .selectFrom("apiKeys as k")
    .innerJoin("agents as a", "a.uuid", "k.agentUuid")
    .leftJoin("users as u", "u.uuid", "a.ownerUuid")
    .select([
      "k.uuid as keyUuid",
      "k.expiresAt",
      "k.revokedAt",
      "k.lastUsedAt",
      "u.disabledAt as ownerDisabledAt",
      "u.role as ownerRole",
    ])
    .select([
      "a.uuid",
      "a.name",
      "a.workspaceUuid",
      "a.ownerUuid",
      "a.presets",
      "a.permissions",
      "a.projectUuids",
      "a.archivedAt",
    ])
    .where("k.hash", "=", hash),
)

/** An agent never may do more than the person to whom it belongs. */
function permissionsUnder(owner: Role | null, permissions: ReadonlySet<Permission>): ReadonlySet<Permission> {
  if (owner !== "viewer") return permissions
  const most = personPermissions(owner)
  return new Set([...permissions].filter((permission) => most.has(permission)))
}

async function personBySignIn(db: Db, token: string, now: string): Promise<Identity | undefined> {
  const hash = tokenHash(token)
  const row = await db
    .selectFrom("signIns as s")
    .innerJoin("users as u", "u.uuid", "s.userUuid")
    .select(["u.uuid", "u.name", "u.workspaceUuid", "u.role", "u.disabledAt"])
    .select(["s.uuid as signInUuid", "s.hash", "s.rotatedAt", "s.lastUsedAt", "s.expiresAt", "s.revokedAt"])
    .where((where) => where.or([where("s.hash", "=", hash), where("s.previousHash", "=", hash)]))
    .executeTakeFirst()
  // A sign-in that has ended is simply nobody: the page then shows the sign-in form.
  if (row === undefined || row.disabledAt !== null || !stillCounts(row, hash, now)) return undefined
  return {
    signIn: {
      uuid: row.signInUuid,
      hash,
      isCurrent: row.hash === hash,
      rotatedAt: row.rotatedAt,
      lastUsedAt: row.lastUsedAt,
    },
    actor: personActor(row),
  }
}

function refused(code: string, message: string, next?: string): ChorusError {
  return new ChorusError(code, message, {
    status: 401,
    next:
      next ??
      "Make a new key for this agent (page: Settings → Agents and keys, or `chorus agent key NAME`) and use that.",
  })
}
