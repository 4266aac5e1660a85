import { type Actor, forbidden } from "../../operation.ts"

/**
 * Whoever may send the server to an address of its own machine or network reaches what listens there for it alone. That is
 * the owner's to allow, not that of the admins they have made.
 */
export function assertMayReachInside({ role }: Actor): void {
  if (role === "owner") return
  throw forbidden(
    "Only an owner of the workspace lets Chorus call an address of its own machine or of a private network.",
    "Ask an owner to set this up, or use a public address.",
  )
}
