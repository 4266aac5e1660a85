import { ChorusError, type runs } from "@chorus/contracts"
import { type Delivery, enqueue } from "../../deliveries/outbox.ts"
import { settle } from "../../deliveries/settle.ts"
import type { OperationContext } from "../../operation.ts"
import { findRun } from "./run-select.ts"

/** The lane of what a machine's runner fetches. */
export function runnerLane(machineUuid: string): string {
  return `runner:${machineUuid}`
}

/** Puts what a person says to a run on its way to the machine; what goes to one run arrives in the order in which it was said. */
export async function sendToRunner(
  context: OperationContext,
  order: runs.RunOrder,
  about: Pick<Delivery, "kind" | "title"> & { readonly tag: string },
): Promise<void> {
  const { workspaceUuid, uuid: byUuid } = context.actor
  const run = await findRun(context, order.runUuid)
  if (run.machineUuid === null)
    throw new ChorusError("run_not_started", "No machine has taken this run yet.", {
      status: 409,
      next: "Wait until it has started, or stop it.",
    })
  const lane = runnerLane(run.machineUuid)
  await enqueue(context, { ...about, workspaceUuid, byUuid, lane, thread: threadOf(run.uuid), payload: { run: order } })
}

/** What was said to a run and has not reached its machine, in the order it was said in. */
export async function waitingOrders({ db }: Pick<OperationContext, "db">, runUuid: string) {
  const waiting = await db
    .selectFrom("deliveries")
    .select(["uuid", "payload"])
    .where("thread", "=", threadOf(runUuid))
    .where("state", "in", ["pending", "dead"])
    .orderBy("place")
    .execute()
  return waiting.map(({ uuid, payload }) => ({ uuid, order: (JSON.parse(payload) as { run: runs.RunOrder }).run }))
}

/** A run hears what is said to it in order: with this one, all that was said before has arrived. */
export async function settleUpTo(context: OperationContext, runUuid: string, mark: string): Promise<void> {
  const waiting = await context.db
    .selectFrom("deliveries")
    .selectAll()
    .where("thread", "=", threadOf(runUuid))
    .where("state", "=", "pending")
    .orderBy("place")
    .execute()
  const last = waiting.findIndex(({ uuid }) => uuid === mark)
  for (const one of waiting.slice(0, last + 1))
    for (const event of await settle(context, { ...one, attempts: one.attempts + 1 }, { arrived: true }))
      context.emit(event)
}

/** What was wanted of a run is over with it; words are for when it goes on. */
export async function dropOrders(context: Pick<OperationContext, "db">, runUuid: string): Promise<void> {
  const over = (await waitingOrders(context, runUuid)).filter(({ order }) => order.order !== "send")
  if (over.length > 0) await takeBack(context, over)
}

export async function takeBack({ db }: Pick<OperationContext, "db">, orders: readonly { readonly uuid: string }[]) {
  const uuids = orders.map(({ uuid }) => uuid)
  await db.deleteFrom("deliveries").where("uuid", "in", uuids).execute()
}

function threadOf(runUuid: string): string {
  return `run:${runUuid}`
}
