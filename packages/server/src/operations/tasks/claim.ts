import { ChorusError, type Permission, type Preset, tasks } from "@chorus/contracts"
import { agentPermissions, taskStatusesFor } from "@chorus/core"
import { lock } from "@chorus/store"
import { notFound } from "../../faults.ts"
import { operation, type OperationContext } from "../../operation.ts"
import { settingsOfProject } from "../task-work/settings.ts"
import { claimedTask } from "./task-detail.ts"
import { endWork } from "./task-ending.ts"
import { notHolder } from "./task-faults.ts"
import { assertMayWork } from "./task-rights.ts"
import { findTask, type TaskRecord } from "./task-row.ts"
import { HELD_BY_NOBODY, heldBy, takeStep } from "./task-step.ts"

export const claimTask = operation(tasks.claimTask, async (context, { taskUuid }) => {
  return claimedTask(context, await claim(context, await findTask(context.db, taskUuid)))
})

export const releaseTask = operation(tasks.releaseTask, async (context, { taskUuid }) => {
  const task = await findTask(context.db, taskUuid)
  if (taskStatusesFor("release").includes(task.status)) await assertMayWork(context, task)
  const { uuid, title, status } = await release(context, task)
  return { uuid, title, status }
})

export const assignTask = operation(tasks.assignTask, async (context, { taskUuid, agentUuid }) => {
  const task = await findTask(context.db, taskUuid)
  await assertCanWork(context, task, agentUuid)
  return claimedTask(context, await assign(context, task, { type: "agent", uuid: agentUuid }))
})

export const assignTaskToPerson = operation(tasks.assignTaskToPerson, async (context, { taskUuid, userUuid }) => {
  await assertActive(context, userUuid)
  return claimedTask(
    context,
    await assign(context, await findTask(context.db, taskUuid), { type: "user", uuid: userUuid }),
  )
})

/** Makes the caller the holder of an open task. */
export async function claim(context: OperationContext, task: TaskRecord): Promise<TaskRecord> {
  const { actor } = context
  if (actor.type === "agent") await assertFree(context, task, actor.uuid)
  return takeStep(context, task, "claim", heldBy(context, actor))
}

/** Gives a held task back to the open ones. */
export async function release(context: OperationContext, task: TaskRecord): Promise<TaskRecord> {
  const released = await takeStep(context, task, "release", HELD_BY_NOBODY)
  await endWork(context, task, "task_released")
  return released
}

async function assign(
  context: OperationContext,
  task: TaskRecord,
  who: { type: "agent" | "user"; uuid: string },
): Promise<TaskRecord> {
  // Work under way changes hands only by a person's word.
  if (task.status === "in_progress" && context.actor.type === "agent") throw await notHolder(context.db, task)
  if (who.type === "agent") await assertFree(context, task, who.uuid)
  const assigned = await takeStep(context, task, "assign", { ...heldBy(context, who), startedAt: null })
  if (task.assigneeUuid !== null && task.assigneeUuid !== who.uuid) await endWork(context, task, "task_reassigned")
  return assigned
}

async function assertCanWork({ db }: OperationContext, task: TaskRecord, agentUuid: string): Promise<void> {
  const agent = await db.selectFrom("agents").selectAll().where("uuid", "=", agentUuid).executeTakeFirst()
  if (agent === undefined) throw notFound("agent", agentUuid)
  const bits = agentPermissions(JSON.parse(agent.presets) as Preset[], JSON.parse(agent.permissions) as Permission[])
  const reach = agent.projectUuids === null ? null : (JSON.parse(agent.projectUuids) as string[])
  if (agent.archivedAt === null && bits.has("task:write") && (reach === null || reach.includes(task.projectUuid)))
    return
  throw new ChorusError("agent_cannot_work", `${agent.name} may not work on tasks of this project.`, {
    status: 409,
    next: "Choose an agent that has task:write and reaches this project, or change its permissions.",
    details: { agentUuid, archived: agent.archivedAt !== null },
  })
}

/** Who is disabled cannot sign in, so what they hold would lie. */
async function assertActive({ db }: OperationContext, userUuid: string): Promise<void> {
  const person = await db.selectFrom("users").select("disabledAt").where("uuid", "=", userUuid).executeTakeFirst()
  if (person === undefined || person.disabledAt !== null) throw notFound("person", userUuid)
}

/** Where the project asks for it, an agent holds one task at a time. */
async function assertFree({ db, engine }: OperationContext, task: TaskRecord, agentUuid: string): Promise<void> {
  const { exclusiveWork } = await settingsOfProject(db, task.projectUuid)
  if (!exclusiveWork) return
  await lock({ db, engine }, `work-of:${agentUuid}`)
  const other = await db
    .selectFrom("tasks")
    .select(["uuid", "title", "status"])
    .where("assigneeUuid", "=", agentUuid)
    .where("status", "in", ["assigned", "in_progress"])
    .where("projectUuid", "=", task.projectUuid)
    .where("uuid", "<>", task.uuid)
    .executeTakeFirst()
  if (other === undefined) return
  throw new ChorusError(
    "holds_other_task",
    `This agent already holds "${other.title}" (${other.status}), and the project allows one task at a time.`,
    {
      status: 409,
      next: "Finish or release that task first.",
      details: { taskUuid: other.uuid },
    },
  )
}
