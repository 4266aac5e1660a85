import { type Need, type Permission, PERMISSIONS, type Preset, type Role } from "@chorus/contracts"

const READS = PERMISSIONS.filter((permission) => permission.endsWith(":read"))
const WRITES = PERMISSIONS.filter((permission) => permission.endsWith(":write"))

const BY_PRESET: Record<Preset, readonly Permission[]> = {
  developer: [...READS, "task:write"],
  lead: [...READS, ...WRITES],
  pm: [...READS, ...WRITES],
  admin: PERMISSIONS,
}

const BY_ROLE: Record<Role, readonly Permission[]> = {
  owner: PERMISSIONS,
  admin: PERMISSIONS,
  member: PERMISSIONS,
  viewer: READS,
}

/** What an agent may do: the union of its presets and the bits given one by one. */
export function agentPermissions(presets: readonly Preset[], extra: readonly Permission[]): ReadonlySet<Permission> {
  return new Set([...presets.flatMap((preset) => BY_PRESET[preset]), ...extra])
}

export function personPermissions(role: Role): ReadonlySet<Permission> {
  return new Set(BY_ROLE[role])
}

export interface Caller {
  readonly type: "user" | "agent" | "system"
  readonly role: Role | null
  readonly permissions: ReadonlySet<Permission>
}

/** Whether the caller meets an operation's need; undefined is a caller nobody vouched for. */
export function meets(caller: Caller | undefined, need: Need): boolean {
  if (need === "nobody") return true
  if (caller === undefined) return false
  if (caller.type === "system") return true
  if (need === "anyone") return true
  if (need === "person") return caller.type === "user" && caller.role !== "viewer"
  if (need === "steward") return caller.type === "user" && (caller.role === "owner" || caller.role === "admin")
  return caller.permissions.has(need)
}
