import { ChorusError, type runs } from "@chorus/contracts"
import { type Delivery, enqueue } from "../../deliveries/outbox.ts"
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
  await enqueue(context, { ...about, workspaceUuid, byUuid, lane, thread: `run:${run.uuid}`, payload: { run: order } })
}
