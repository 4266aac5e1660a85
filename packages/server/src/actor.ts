import type { ActorRef, Permission, Role } from "@chorus/contracts"

/** Who calls, as the doors established it. */
export interface Actor extends ActorRef {
  readonly workspaceUuid: string
  readonly role: Role | null
  readonly permissions: ReadonlySet<Permission>
  /** The only projects this actor may reach; null is all of them. */
  readonly projectUuids: ReadonlySet<string> | null
  /** The person an agent belongs to. */
  readonly ownerUuid: string | null
}

/** Stands in for the caller of an operation that asks for none. */
export const NOBODY: Actor = {
  type: "system",
  uuid: "nobody",
  name: "nobody",
  workspaceUuid: "",
  role: null,
  permissions: new Set(),
  projectUuids: new Set(),
  ownerUuid: null,
}

export function actorRef({ type, uuid, name }: Actor): ActorRef {
  return { type, uuid, name }
}
