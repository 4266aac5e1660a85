import type { Generated } from "kysely"
/** Times are ISO 8601 text in UTC, so they sort as they read; lists and maps are JSON text; flags are 0 or 1. */
export interface WorkspacesTable {
  uuid: string
  name: string
  lastEvent: number
  settings: string
  createdAt: string
}

export interface UsersTable {
  uuid: string
  workspaceUuid: string
  name: string
  email: string | null
  role: "owner" | "admin" | "member" | "viewer"
  passwordHash: string | null
  oidcSubject: string | null
  createdAt: string
  disabledAt: string | null
}

/** One-time links; only the hash of the token is kept. */
export interface SignInLinksTable {
  hash: string
  userUuid: string
  createdAt: string
  expiresAt: string
  usedAt: string | null
  replacedAt: string | null
}

/** Browser sessions; only the hash of the cookie is kept. */
export interface SignInsTable {
  uuid: string
  hash: string
  previousHash: string | null
  userUuid: string
  userAgent: string | null
  createdAt: string
  rotatedAt: string
  lastUsedAt: string
  expiresAt: string
  revokedAt: string | null
}

export interface AgentsTable {
  uuid: string
  workspaceUuid: string
  ownerUuid: string | null
  name: string
  persona: string | null
  systemPrompt: string | null
  presets: string
  permissions: string
  projectUuids: string | null
  lastActiveAt: string | null
  createdAt: string
  archivedAt: string | null
}

export interface ApiKeysTable {
  uuid: string
  agentUuid: string
  name: string
  prefix: string
  hash: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  revokedAt: string | null
}

export interface ProjectGroupsTable {
  uuid: string
  workspaceUuid: string
  name: string
  description: string | null
  createdAt: string
  updatedAt: string
}

export interface ProjectsTable {
  uuid: string
  workspaceUuid: string
  groupUuid: string | null
  name: string
  description: string | null
  status: "active" | "archived"
  settings: string
  key: string | null
  /** Of the tasks and ideas that were made in it. */
  lastNumber: Generated<number>
  createdAt: string
  updatedAt: string
}

export interface EventsTable {
  workspaceUuid: string
  id: number
  at: string
  kind: string
  entityType: string
  entityUuid: string
  projectUuid: string | null
  action: "created" | "updated" | "deleted"
  patch: string
  actorType: "user" | "agent" | "system"
  actorUuid: string
  actorName: string
  requestId: string | null
}

/** The first answer to a keyed call, returned again to a retry. */
export interface ReceiptsTable {
  workspaceUuid: string
  actorUuid: string
  key: string
  operation: string
  inputHash: string
  answer: string
  createdAt: string
}

export interface MigrationsTable {
  id: number
  name: string
  appliedAt: string
}
