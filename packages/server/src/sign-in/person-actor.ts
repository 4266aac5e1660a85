import { personPermissions } from "@chorus/core"
import type { Schema } from "@chorus/store"
import type { Actor } from "../operation.ts"

/** A person as a caller. */
export function personActor({
  uuid,
  name,
  workspaceUuid,
  role,
}: Pick<Schema["users"], "uuid" | "name" | "workspaceUuid" | "role">): Actor {
  return {
    type: "user",
    uuid,
    name,
    workspaceUuid,
    role,
    permissions: personPermissions(role),
    projectUuids: null,
    ownerUuid: null,
  }
}
