import type { SignedInPerson } from "@chorus/contracts"

/** Whether the person may change anything at all; the server decides the rest. */
export function mayChange({ role }: Pick<SignedInPerson, "role">): boolean {
  return role !== "viewer"
}

/** Whether the person runs the workspace: members, webhooks, its settings. */
export function isSteward({ role }: Pick<SignedInPerson, "role">): boolean {
  return role === "owner" || role === "admin"
}
