import { type agents, type Permission, PERMISSIONS, Preset } from "@chorus/contracts"
import { agentPermissions } from "@chorus/core"
import type { Schema } from "@chorus/store"

export function agentRow(row: Schema["agents"]): agents.AgentRow {
  return {
    uuid: row.uuid,
    name: row.name,
    persona: row.persona,
    systemPrompt: row.systemPrompt,
    ownerUuid: row.ownerUuid,
    presets: presetsOf(row),
    permissions: [...permissionsOf(row)],
    projectUuids: projectsOf(row),
    lastActiveAt: row.lastActiveAt,
    createdAt: row.createdAt,
    archivedAt: row.archivedAt,
  }
}

/** The bits an agent holds: its presets and those given one by one. Worked out once for each way of writing them, since every call asks. */
export function permissionsOf(row: Pick<Schema["agents"], "presets" | "permissions">): ReadonlySet<Permission> {
  const written = `${row.presets} ${row.permissions}`
  const known = permissionSets.get(written)
  if (known !== undefined) return known
  const permissions = agentPermissions(presetsOf(row), permissionList(row.permissions))
  if (permissionSets.size >= MOST_PERMISSION_SETS) permissionSets.clear()
  permissionSets.set(written, permissions)
  return permissions
}

const MOST_PERMISSION_SETS = 1000
const permissionSets = new Map<string, ReadonlySet<Permission>>()

export function projectsOf(row: Pick<Schema["agents"], "projectUuids">): string[] | null {
  return row.projectUuids === null ? null : (JSON.parse(row.projectUuids) as string[])
}

export function keyRow(row: Schema["apiKeys"]): agents.KeyRow {
  const { uuid, agentUuid, name, prefix, createdAt, expiresAt, lastUsedAt, revokedAt } = row
  return { uuid, agentUuid, name, prefix, createdAt, expiresAt, lastUsedAt, revokedAt }
}

/** Only the fields that differ, as an event's patch tells them. */
export function changedFields(before: agents.AgentRow, after: agents.AgentRow): Partial<agents.AgentRow> {
  return Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]) => JSON.stringify(before[field as keyof agents.AgentRow]) !== JSON.stringify(value),
    ),
  )
}

function presetsOf(row: Pick<Schema["agents"], "presets">): Preset[] {
  return Preset.array().parse(JSON.parse(row.presets))
}

function permissionList(text: string): Permission[] {
  const stored = new Set(JSON.parse(text) as string[])
  return PERMISSIONS.filter((permission) => stored.has(permission))
}
