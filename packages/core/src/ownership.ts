export interface Holder {
  readonly assigneeType: string | null
  readonly assigneeUuid: string | null
}

export interface Claimant {
  readonly type: string
  readonly uuid: string
  readonly ownerUuid: string | null
}

/** An agent holds what is assigned to itself or to the person it belongs to; a person what is assigned to them. */
export function holds(claimant: Claimant, { assigneeType, assigneeUuid }: Holder): boolean {
  if (assigneeUuid === null) return false
  if (assigneeType === claimant.type && assigneeUuid === claimant.uuid) return true
  return claimant.type === "agent" && assigneeType === "user" && assigneeUuid === claimant.ownerUuid
}
