import { ChorusError, work } from "@chorus/contracts"
import { type Lease, leaseOf } from "@chorus/core"
import { operation, type OperationContext } from "../../operation.ts"
import { endWork } from "../tasks/task-ending.ts"
import { wrongStatus } from "../tasks/task-faults.ts"
import { findTask, holderOf, type TaskRecord } from "../tasks/task-row.ts"
import { HELD_BY_NOBODY, takeStep } from "../tasks/task-step.ts"
import { workSettings } from "./settings.ts"

export const reclaimTask = operation(work.reclaimTask, async (context, { taskUuid }) => {
  const task = await findTask(context.db, taskUuid)
  const lease = await leaseOn(context, task)
  if (lease.state === "none") throw wrongStatus(task, "reclaim")
  const holder = await holderOf(context.db, task)
  if (lease.state !== "lapsed") throw leaseHeld(task, lease, holder?.name ?? "somebody")
  const { uuid, title, status } = await takeStep(context, task, "reclaim", HELD_BY_NOBODY, {
    title: task.title,
    from: holder,
    silentSince: lease.since,
  })
  await endWork(context, task, "task_reclaimed")
  return { uuid, title, status }
})

/** The holder's hold on the task, by every sign of life there is: all its sessions, and its reports on this task. */
export async function leaseOn(
  { db, actor, now }: Pick<OperationContext, "db" | "actor" | "now">,
  task: TaskRecord,
): Promise<Lease> {
  const { leaseMinutes } = await workSettings(db, actor.workspaceUuid)
  const session = await db
    .selectFrom("sessions")
    .select(({ fn }) => fn.max("lastActiveAt").as("at"))
    .where("agentUuid", "=", task.assigneeUuid)
    .executeTakeFirst()
  const report = await db
    .selectFrom("workReports")
    .select(({ fn }) => fn.max("createdAt").as("at"))
    .where("taskUuid", "=", task.uuid)
    .where("authorUuid", "=", task.assigneeUuid)
    .executeTakeFirst()
  return leaseOf(
    { ...task, signsOfLife: [task.assignedAt, task.startedAt, session?.at ?? null, report?.at ?? null] },
    now,
    leaseMinutes,
  )
}

function leaseHeld(task: TaskRecord, lease: Lease, holder: string): ChorusError {
  const until = lease.state === "held" ? lease.until : null
  const why =
    until === null
      ? "is a person; only they or whoever assigns tasks can give it up"
      : `showed a sign of life recently; the hold lasts until ${until}`
  return new ChorusError("lease_held", `"${task.title}" is held by ${holder}, who ${why}.`, {
    status: 409,
    next:
      until === null
        ? "Ask them, or have the task reassigned."
        : "Try again after that time, or ask the holder to release it.",
    details: { taskUuid: task.uuid, holder: task.assigneeUuid, until },
  })
}
