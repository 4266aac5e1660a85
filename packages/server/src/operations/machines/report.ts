import { machines } from "@chorus/contracts"
import { forbidden, operation } from "../../operation.ts"
import { recordFact } from "../team-room/facts.ts"
import { machineOf } from "./machine-lane.ts"
import { doubtTerminals, dropOthers, dropTerminal, type Machine, putTerminal } from "./terminals.ts"

export const reportMachine = operation(machines.reportMachine, async (context, input) => {
  const { db, actor, now } = context
  if (actor.type !== "agent")
    throw forbidden(
      "Only a companion with an agent's key reports a machine.",
      "Connect the machine with `chorus connect`.",
    )
  const machineUuid = await machineOf(context, actor.uuid, input.machine)
  if (input.leftAt !== undefined) {
    await doubtTerminals(context, input.leftAt, machineUuid)
    return { machineUuid }
  }
  await db.updateTable("machines").set({ lastSeenAt: now }).where("uuid", "=", machineUuid).execute()
  if (input.inventory !== undefined) {
    await db
      .updateTable("machines")
      .set({ inventory: JSON.stringify(input.inventory), inventoryAt: now })
      .where("uuid", "=", machineUuid)
      .execute()
    context.emit({
      kind: "machine.inventoried",
      entityType: "machine",
      entityUuid: machineUuid,
      projectUuid: null,
      action: "updated",
      patch: { inventoryAt: now },
    })
  }
  const { uuid: agentUuid, name: agentName, ownerUuid } = actor
  const machine: Machine = { uuid: machineUuid, name: input.machine, agentUuid, agentName, ownerUuid }
  if (input.presentTerminals !== undefined) await dropOthers(context, machineUuid, input.presentTerminals)
  for (const row of input.terminals) await putTerminal(context, machine, row)
  for (const terminalId of input.goneTerminals) await dropTerminal(context, machineUuid, terminalId)
  for (const fact of input.teamFacts) await recordFact(context, { uuid: machineUuid, name: input.machine }, fact)
  return { machineUuid }
})
