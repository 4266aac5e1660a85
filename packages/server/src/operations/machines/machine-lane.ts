import { type Delivery, enqueue, type NewDelivery } from "../../deliveries/outbox.ts"
import type { OperationContext } from "../../operation.ts"
import type { deliveries, TeamOrder } from "@chorus/contracts"
import { machineRow, NO_PLUGINS } from "./machine-row.ts"

/** The lane of what this machine's companion fetches. */
export function machineLane(machineUuid: string): string {
  return `machine:${machineUuid}`
}

/**
 * Puts what a person decided on its way to the machine; what goes to one member arrives in the order in which it was
 * said.
 */
export function sendToMachine(
  context: OperationContext,
  machineUuid: string,
  decision: TeamOrder,
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

/** Puts what a person does about a terminal on its way to the machine. */
export function sendToTerminal(
  context: OperationContext,
  machineUuid: string,
  terminal: deliveries.TerminalOrder,
  about: Pick<NewDelivery, "title"> & { readonly kind: Delivery["kind"]; readonly tag: string },
): Promise<string> {
  const { workspaceUuid, uuid: byUuid } = context.actor
  const thread = `terminal:${terminal.terminalId}`
  return enqueue(context, {
    ...about,
    workspaceUuid,
    byUuid,
    lane: machineLane(machineUuid),
    thread,
    payload: { terminal },
  })
}

/** Finds the machine of that name, or makes it known: an agent may ask a question from it before it has reported. */
export async function machineOf(context: OperationContext, agentUuid: string, name: string): Promise<string> {
  const { db, now, newId, emit } = context
  const find = () =>
    db.selectFrom("machines").select("uuid").where("agentUuid", "=", agentUuid).where("name", "=", name)
  const known = await find().executeTakeFirst()
  if (known !== undefined) return known.uuid
  const uuid = newId()
  const machine = { uuid, agentUuid, name, inventory: null, inventoryAt: null, createdAt: now, lastSeenAt: now }
  const added = await db
    .insertInto("machines")
    .values(machine)
    .onConflict((conflict) => conflict.doNothing())
    .returning("uuid")
    .executeTakeFirst()
  if (added === undefined) return (await find().executeTakeFirstOrThrow()).uuid
  const agent = await db.selectFrom("agents").select("name").where("uuid", "=", agentUuid).executeTakeFirstOrThrow()
  emit({
    kind: "machine.connected",
    entityType: "machine",
    entityUuid: uuid,
    projectUuid: null,
    action: "created",
    patch: machineRow({ ...machine, agentName: agent.name, terminals: 0 }, NO_PLUGINS),
  })
  return uuid
}
