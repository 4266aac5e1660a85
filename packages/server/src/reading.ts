import type { LogEvent, NewEvent, Permission, Resource } from "@chorus/contracts"
import type { Actor } from "./actor.ts"
import { forbidden } from "./faults.ts"

/** Whether the caller may read this kind of thing; for operations whose input says which kind it is. */
export function mayRead(actor: Actor, resource: Resource): boolean {
  return actor.type === "system" || actor.permissions.has(`${resource}:read` satisfies Permission)
}

/** A notification is its recipient's; the rest is seen by whoever reaches its project. */
export function maySee(actor: Actor, event: LogEvent | NewEvent): boolean {
  if (event.entityType === "notification") return event.patch.recipientUuid === actor.uuid
  if (actor.projectUuids === null) return true
  return event.projectUuid !== null && actor.projectUuids.has(event.projectUuid)
}

export function assertMayRead(actor: Actor, resource: Resource): void {
  if (mayRead(actor, resource)) return
  throw forbidden(
    `${actor.name} may not read ${resource}s; it needs ${resource}:read.`,
    `Ask a person who runs this workspace to grant ${resource}:read.`,
  )
}
