import { ChorusError, deliveries } from "@chorus/contracts"
import { type Delivery, queued, sendAgain } from "../../deliveries/outbox.ts"
import { isFetched } from "../../deliveries/policy.ts"
import { settle } from "../../deliveries/settle.ts"
import { notFound, operation, type OperationContext, readPage } from "../../operation.ts"
import { machineLane } from "../machines/machine-lane.ts"
import { runnerLane } from "../runs/orders.ts"
import { deliveryRows } from "./delivery-row.ts"

const MOST = 1000

export const fetchDeliveries = operation(
  deliveries.fetchDeliveries,
  async ({ db, actor, now }, { machine: name, to }) => {
    const machine = await db
      .selectFrom("machines")
      .select("uuid")
      .where("agentUuid", "=", actor.uuid)
      .where("name", "=", name)
      .executeTakeFirst()
    if (machine === undefined) return { deliveries: [], nextAttemptAt: null }
    const waiting = await db
      .selectFrom("deliveries")
      .selectAll()
      .where("lane", "=", to === "runner" ? runnerLane(machine.uuid) : machineLane(machine.uuid))
      .where("state", "=", "pending")
      .orderBy("place")
      .limit(MOST)
      .execute()
    const later = waiting.filter(({ nextAttemptAt }) => (nextAttemptAt ?? now) > now)
    // One that has to wait holds up what comes after it in its thread.
    const held = (one: Delivery) => later.some(({ thread, place }) => thread === one.thread && place <= one.place)
    return {
      deliveries: waiting
        .filter((one) => !later.includes(one) && (one.thread === null || !held(one)))
        .map(({ uuid, kind, thread, payload }) =>
          deliveries.MachineDelivery.parse({ uuid, kind, thread, payload: JSON.parse(payload) }),
        ),
      nextAttemptAt: later.map(({ nextAttemptAt }) => nextAttemptAt).sort()[0] ?? null,
    }
  },
)

export const settleDelivery = operation(
  deliveries.settleDelivery,
  async (context, { deliveryUuid, error, next, final }) => {
    const before = await findOfMachine(context, deliveryUuid)
    const tried = { ...before, attempts: before.attempts + 1 }
    const outcome =
      error === undefined ? { arrived: true as const, next } : { arrived: false as const, error, next, forGood: final }
    if (before.state === "pending") for (const event of await settle(context, tried, outcome)) context.emit(event)
    const { uuid, state, nextAttemptAt } = await find(context, deliveryUuid)
    return { uuid, state, nextAttemptAt }
  },
)

export const listDeliveries = operation(deliveries.listDeliveries, async (context, { state, ...page }) => {
  let all = visible(context)
  if (state !== undefined) all = all.where("state", "=", state)
  const { rows, page: paging } = await readPage(all.selectAll().orderBy("createdAt", "desc").orderBy("uuid"), page)
  return { deliveries: await deliveryRows(context.db, rows), ...paging }
})

export const dismissDelivery = operation(deliveries.dismissDelivery, async (context, { deliveryUuid: uuid }) => {
  await findDead(context, uuid)
  await context.db.deleteFrom("deliveries").where("uuid", "=", uuid).execute()
  context.emit({
    kind: "delivery.dismissed",
    entityType: "delivery",
    entityUuid: uuid,
    projectUuid: null,
    action: "deleted",
    patch: {},
  })
  return { uuid, dismissed: true as const }
})

export const redeliver = operation(deliveries.redeliver, async (context, { deliveryUuid }) => {
  await findDead(context, deliveryUuid)
  const again = await sendAgain(context, deliveryUuid)
  context.emit(queued(again))
  const [row] = await deliveryRows(context.db, [again])
  if (row === undefined) throw notFound("delivery", deliveryUuid)
  return row
})

async function findDead(context: OperationContext, uuid: string): Promise<void> {
  const known = await visible(context).selectAll().where("uuid", "=", uuid).executeTakeFirst()
  if (known === undefined) throw notFound("delivery", uuid)
  if (known.state === "dead") return
  throw new ChorusError("delivery_not_dead", `This delivery is ${known.state}; it was not given up.`, {
    status: 409,
    next: known.state === "pending" ? "Wait for its next attempt." : "Nothing is left to do.",
  })
}

/** One's own; those who run the workspace see all. */
function visible({ db, actor }: OperationContext) {
  const all = db.selectFrom("deliveries").where("workspaceUuid", "=", actor.workspaceUuid)
  return actor.role === "owner" || actor.role === "admin" ? all : all.where("byUuid", "=", actor.uuid)
}

/** Only the companion of the machine it goes to settles it. */
async function findOfMachine(context: OperationContext, uuid: string): Promise<Delivery> {
  const delivery = await find(context, uuid)
  const own = await context.db
    .selectFrom("machines")
    .select("uuid")
    .where("agentUuid", "=", context.actor.uuid)
    .execute()
  if (isFetched(delivery.kind) && own.some(({ uuid }) => [machineLane(uuid), runnerLane(uuid)].includes(delivery.lane)))
    return delivery
  throw notFound("delivery", uuid)
}

async function find({ db }: OperationContext, uuid: string): Promise<Delivery> {
  const delivery = await db.selectFrom("deliveries").selectAll().where("uuid", "=", uuid).executeTakeFirst()
  if (delivery === undefined) throw notFound("delivery", uuid)
  return delivery
}
