import { type Delivery, enqueue, type NewDelivery } from "../../deliveries/outbox.ts"
import type { OperationContext } from "../../operation.ts"
import type { TeamDecision } from "@chorus/contracts"

/** The lane of what this machine's companion fetches. */
export function machineLane(machineUuid: string): string {
  return `machine:${machineUuid}`
}

/** Puts what a person decided on its way to the machine; what goes to one member arrives in the order in which it was said. */
export function sendToMachine(
  context: OperationContext,
  machineUuid: string,
  decision: TeamDecision,
  about: Pick<NewDelivery, "title"> & { readonly kind: Delivery["kind"]; readonly tag: string },
): Promise<string> {
  const { workspaceUuid, uuid: byUuid } = context.actor
  const to = decision.decision === "message" ? decision.to : decision.member
  const thread = `team:${decision.team}/${to}`
  return enqueue(context, {
    ...about,
    workspaceUuid,
    byUuid,
    lane: machineLane(machineUuid),
    thread,
    payload: { decision },
  })
}
