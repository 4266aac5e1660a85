import type { OperationContext } from "../../operation.ts"
import { endReservations } from "../reservations/reservation-end.ts"
import { checkOutAll } from "../sessions/checkin-end.ts"
import type { TaskRecord } from "./task-row.ts"

/** Nobody works on the task any more: who was checked in is checked out, and its paths are free. */
export async function endWork(context: OperationContext, task: TaskRecord, reason: string): Promise<void> {
  await checkOutAll(context, { taskUuid: task.uuid }, reason)
  await endReservations(context, { taskUuid: task.uuid }, "task_ended")
}
