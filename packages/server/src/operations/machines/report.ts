import { machines, type StatusRow } from "@chorus/contracts"
import { forbidden, operation, type OperationContext } from "../../operation.ts"
import { withdraw } from "../../deliveries/outbox.ts"
import { callPerson, terminalNotice } from "../../push/notice.ts"
import { recordFact } from "../team-room/facts.ts"
import { machineOf } from "./machine-lane.ts"
import { terminalRow, terminalUuid } from "./machine-row.ts"

export const reportMachine = operation(machines.reportMachine, async (context, input) => {
  const { db, actor, now } = context
  if (actor.type !== "agent")
    throw forbidden(
      "Only a companion with an agent's key reports a machine.",
      "Connect the machine with `chorus connect`.",
    )
  const machineUuid = await machineOf(context, actor.uuid, input.machine)
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
  for (const row of input.terminals) await putTerminal(context, machineUuid, input.machine, row)
  for (const terminalId of input.goneTerminals) await dropTerminal(context, machineUuid, terminalId)
  for (const fact of input.teamFacts) await recordFact(context, { uuid: machineUuid, name: input.machine }, fact)
  return { machineUuid }
})

async function putTerminal(
  context: OperationContext,
  machineUuid: string,
  machine: string,
  row: StatusRow,
): Promise<void> {
  const { db, actor, now, emit } = context
  const text = JSON.stringify(row)
  const where = { machineUuid, terminalId: row.terminalId }
  const before = await db
    .selectFrom("terminals")
    .select("row")
    .where("machineUuid", "=", machineUuid)
    .where("terminalId", "=", row.terminalId)
    .executeTakeFirst()
  if (before?.row === text) return
  await db
    .insertInto("terminals")
    .values({ ...where, row: text, updatedAt: now })
    .onConflict((conflict) =>
      conflict.columns(["machineUuid", "terminalId"]).doUpdateSet({ row: text, updatedAt: now }),
    )
    .execute()
  const patch = terminalRow({
    ...where,
    row: text,
    updatedAt: now,
    machine,
    agentUuid: actor.uuid,
    agentName: actor.name,
  })
  const action = before === undefined ? "created" : "updated"
  emit({ kind: "terminal.changed", entityType: "terminal", entityUuid: patch.uuid, projectUuid: null, action, patch })
  if (actor.ownerUuid === null) return
  const tag = tagOf(patch.uuid)
  const former = before === undefined ? undefined : (JSON.parse(before.row) as StatusRow)
  const notice = terminalNotice(row, former, tag)
  if (notice !== undefined) await callPerson(context, actor.ownerUuid, notice)
  else if (row.state !== former?.state) await withdraw(context, "call", tag)
}

async function dropTerminal(context: OperationContext, machineUuid: string, terminalId: string): Promise<void> {
  const { db, emit } = context
  const gone = await db
    .deleteFrom("terminals")
    .where("machineUuid", "=", machineUuid)
    .where("terminalId", "=", terminalId)
    .returning("terminalId")
    .executeTakeFirst()
  if (gone === undefined) return
  const uuid = terminalUuid(machineUuid, terminalId)
  emit({
    kind: "terminal.gone",
    entityType: "terminal",
    entityUuid: uuid,
    projectUuid: null,
    action: "deleted",
    patch: {},
  })
  await withdraw(context, "call", tagOf(uuid))
}

/** By which a person's calls about a terminal replace each other. */
function tagOf(uuid: string): string {
  return `terminal:${uuid}`
}
