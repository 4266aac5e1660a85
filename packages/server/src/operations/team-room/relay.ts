import { createHash } from "node:crypto"
import { ChorusError, type RelayItem, teamRoom } from "@chorus/contracts"
import { enqueue, withdraw } from "../../deliveries/outbox.ts"
import { forbidden, notFound, operation, type OperationContext } from "../../operation.ts"
import { machineLane, machineOf } from "../machines/machine-lane.ts"
import { machinesFor } from "../machines/machine-row.ts"

/** Each item is a delivery of its own; what was sent before, and perhaps not heard to have arrived, is not sent twice. */
export const relayTeam = operation(teamRoom.relayTeam, async (context, { machine, to, parts }) => {
  if (context.actor.type !== "agent")
    throw forbidden("Only a companion with an agent's key speaks for a machine.", "Run `chorus companion` there.")
  const from = await machineOf(context, context.actor.uuid, machine)
  const target = await otherMachine(context, from, to)
  for (const item of parts) await pass(context, from, target, item)
  return { toUuid: target }
})

async function pass(context: OperationContext, from: string, to: string, item: RelayItem): Promise<void> {
  const { actor, db, newId } = context
  const { relay, team, agent, id } = item
  const tag = `relay:${relay}:${from}:${to}:${team}`
  // Of a state only the newest matters.
  if (relay === "state") await withdraw(context, "order", tag)
  const uuid = relay === "state" ? newId() : uuidOf(tag, agent ?? "", id)
  if ((await db.selectFrom("deliveries").select("uuid").where("uuid", "=", uuid).executeTakeFirst()) !== undefined)
    return
  await enqueue(context, {
    uuid,
    workspaceUuid: actor.workspaceUuid,
    lane: machineLane(to),
    thread: relay === "letter" ? `relay:${team}/${agent}` : `relay:${team}`,
    kind: "order",
    tag,
    title: agent === undefined ? team : `${team}: ${agent}`,
    payload: { relay: item, from, to },
    ...(actor.ownerUuid === null ? {} : { byUuid: actor.ownerUuid }),
  })
}

/** A machine whose agent belongs to the same person: nobody else's agents write into one's teams. */
async function otherMachine(context: OperationContext, from: string, to: string): Promise<string> {
  const { db, actor } = context
  const found = await machinesFor(db, actor)
    .select("m.uuid")
    .where("a.ownerUuid", actor.ownerUuid === null ? "is" : "=", actor.ownerUuid)
    .where("m.uuid", "<>", from)
    .where(({ eb, or }) => or([eb("m.uuid", "=", to), eb("m.name", "=", to)]))
    .execute()
  const [first, second] = found
  if (first === undefined) throw notFound("machine", to)
  if (second === undefined) return first.uuid
  throw new ChorusError("machine_ambiguous", `${found.length} machines are called ${to}.`, {
    status: 409,
    next: `Use an id: ${found.map(({ uuid }) => uuid).join(", ")}.`,
  })
}

/** The same id for the same thing, in the form of a UUID made from a name. */
function uuidOf(...parts: string[]): string {
  const hex = createHash("sha256").update(JSON.stringify(parts)).digest("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
