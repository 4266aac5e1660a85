import type { OutputOf, work } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import { waitingFor, workFor } from "../inbox/work-for.ts"
import type { TaskRecord } from "../tasks/task-record.ts"

const MOST_WAITS = 5

/** What whoever hands this task in wants to know next: answers, work that came back, what is ready, who is waited for. */
export async function newsFor(
  context: OperationContext,
  { projectUuid }: TaskRecord,
): Promise<OutputOf<typeof work.finishTask>["news"]> {
  const waits = await workFor(context, [projectUuid])
  return {
    waits: waits.slice(0, MOST_WAITS),
    waitingFor: await waitingFor(context, [projectUuid]),
    ready: waits.filter(({ kind }) => kind === "ready").length,
  }
}
