import { machines, type StatusRow, TeamDecision } from "@chorus/contracts"
import { forbidden, notFound, operation, type OperationContext } from "../../operation.ts"
import { callPerson, terminalNotice, withdrawCalls } from "../../push/notice.ts"
import { recordFact } from "../team-room/facts.ts"
import { terminalRow, terminalUuid } from "./machine-row.ts"

export const reportMachine = operation(machines.reportMachine, async (context, input) => {
  const { db, actor, now } = context
  if (actor.type !== "agent")
    throw forbidden(
      "Only a companion with an agent's key reports a machine.",
      "Connect the machine with `chorus connect`.",
    )
  const machineUuid = await seen(context, input.machine)
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
  const orders = await db
    .selectFrom("teamOrders")
    .selectAll()
    .where("machineUuid", "=", machineUuid)
    .where("deliveredAt", "is", null)
    .where("error", "is", null)
    .orderBy("createdAt")
    .limit(100)
    .execute()
  return {
    machineUuid,
    orders: orders.map(({ uuid, teamUuid, decision, createdAt }) => ({
      uuid,
      teamUuid,
      decision: TeamDecision.parse(JSON.parse(decision)),
      createdAt,
    })),
  }
})

export const settleOrder = operation(machines.settleOrder, async ({ db, actor, now, emit }, { orderUuid, error }) => {
  const order = await db
    .selectFrom("teamOrders as o")
    .innerJoin("machines as m", "m.uuid", "o.machineUuid")
    .selectAll("o")
    .where("o.uuid", "=", orderUuid)
    .where("m.agentUuid", "=", actor.uuid)
    .executeTakeFirst()
  if (order === undefined) throw notFound("order", orderUuid)
  if (order.deliveredAt !== null) return { uuid: orderUuid, deliveredAt: order.deliveredAt, error: null }
  const settled = error === undefined ? { deliveredAt: now, error: null } : { deliveredAt: null, error }
  await db.updateTable("teamOrders").set(settled).where("uuid", "=", orderUuid).execute()
  const kind = error === undefined ? "order.delivered" : "order.failed"
  emit({
    kind,
    entityType: "team_order",
    entityUuid: orderUuid,
    projectUuid: null,
    action: "updated",
    patch: { teamUuid: order.teamUuid, ...settled },
  })
  return { uuid: orderUuid, ...settled }
})

/** Finds the machine, or makes it known; notes that it was heard from. */
async function seen({ db, actor, now, newId, emit }: OperationContext, name: string): Promise<string> {
  const known = await db
    .updateTable("machines")
    .set({ lastSeenAt: now })
    .where("agentUuid", "=", actor.uuid)
    .where("name", "=", name)
    .returning("uuid")
    .executeTakeFirst()
  if (known !== undefined) return known.uuid
  const uuid = newId()
  await db
    .insertInto("machines")
    .values({ uuid, agentUuid: actor.uuid, name, inventory: null, inventoryAt: null, createdAt: now, lastSeenAt: now })
    .execute()
  emit({
    kind: "machine.connected",
    entityType: "machine",
    entityUuid: uuid,
    projectUuid: null,
    action: "created",
    patch: { uuid, name, lastSeenAt: now },
  })
  return uuid
}

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
  else if (row.state !== former?.state) await withdrawCalls(context, tag)
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
  await withdrawCalls(context, tagOf(uuid))
}

/** By which a person's calls about a terminal replace each other. */
function tagOf(uuid: string): string {
  return `terminal:${uuid}`
}
