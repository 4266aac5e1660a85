import type { Role } from "@chorus/contracts"

export interface MemberChange {
  /** The role of whoever asks; null is the system itself. */
  readonly by: Role | null
  readonly target: Role
  /** The role the person is to have, where it changes. */
  readonly becomes?: Role | undefined
}

/** Those who run a workspace manage everybody; only an owner makes, changes or signs in for an owner. */
export function mayManage({ by, target, becomes }: MemberChange): boolean {
  if (by === null || by === "owner") return true
  return by === "admin" && target !== "owner" && becomes !== "owner"
}

export interface OwnerLoss {
  readonly role: Role
  readonly isActive: boolean
  readonly becomes?: Role | undefined
  readonly disabled?: boolean | undefined
}

/** Whether a change takes an active owner away. */
export function losesOwner({ role, isActive, becomes, disabled }: OwnerLoss): boolean {
  if (role !== "owner" || !isActive) return false
  return disabled === true || (becomes !== undefined && becomes !== "owner")
}
