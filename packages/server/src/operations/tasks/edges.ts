import { ChorusError, tasks } from "@chorus/contracts"
import { isFinished, leadsTo } from "@chorus/core"
import { lock } from "@chorus/store"
import { sql } from "kysely"
import { operation, type OperationContext } from "../../operation.ts"
import { assertMayUnlink } from "../change-requests/rewrite.ts"
import { allEdges } from "../task-work/all-tasks.ts"
import { findTask, type TaskRecord } from "./task-record.ts"

/** How many tasks the store looks at before the whole graph is worth loading. */
const NEAR = 500

export const addTaskDependency = operation(
  tasks.addTaskDependency,
  async (context, { taskUuid, dependsOnTaskUuid, contract }) => {
    const task = await findTask(context.db, taskUuid)
    await addDependencies(context, task, [dependsOnTaskUuid], contract)
    return { uuid: task.uuid, title: task.title, status: task.status }
  },
)

export const removeTaskDependency = operation(
  tasks.removeTaskDependency,
  async (context, { taskUuid, dependsOnTaskUuid }) => {
    const task = await findTask(context.db, taskUuid)
    await removeDependencies(context, task, [dependsOnTaskUuid])
    return { uuid: task.uuid, title: task.title, status: task.status }
  },
)

/** Adds edges that are not there yet; refuses any that would close a circle. The project is held, so two adders cannot close one together. */
export async function addDependencies(
  context: OperationContext,
  task: TaskRecord,
  dependsOn: readonly string[],
  contract?: string,
): Promise<void> {
  const { db, engine, now } = context
  await lock({ db, engine }, `project:${task.projectUuid}`)
  if (isFinished(task.status)) {
    throw new ChorusError("task_finished", `"${task.title}" is ${task.status}; it waits for nothing any more.`, {
      status: 409,
      next: "Reopen it first.",
    })
  }
  for (const dependsOnUuid of new Set(dependsOn)) {
    const other = await findTask(db, dependsOnUuid)
    if (other.projectUuid !== task.projectUuid) throw otherProject(task, other)
    if (await reaches(context, task.projectUuid, dependsOnUuid, task.uuid)) throw cycle(task, other)
    await db
      .insertInto("taskEdges")
      .values({
        taskUuid: task.uuid,
        dependsOnUuid,
        projectUuid: task.projectUuid,
        contract: contract ?? null,
        createdAt: now,
      })
      .onConflict((conflict) => conflict.columns(["taskUuid", "dependsOnUuid"]).doNothing())
      .execute()
  }
  await announceDependencies(context, task)
}

export async function removeDependencies(
  context: OperationContext,
  task: TaskRecord,
  dependsOn: readonly string[],
): Promise<void> {
  if (dependsOn.length === 0) return
  const { db, engine } = context
  await lock({ db, engine }, `project:${task.projectUuid}`)
  await assertMayUnlink(context, task, dependsOn)
  await db.deleteFrom("taskEdges").where("taskUuid", "=", task.uuid).where("dependsOnUuid", "in", dependsOn).execute()
  await announceDependencies(context, task)
}

export async function announceDependencies(
  { db, emit }: OperationContext,
  { uuid, projectUuid }: TaskRecord,
): Promise<void> {
  const { openDependencies } = await findTask(db, uuid)
  const edges = await db
    .selectFrom("taskEdges")
    .select("dependsOnUuid")
    .where("taskUuid", "=", uuid)
    .orderBy("createdAt")
    .orderBy("dependsOnUuid")
    .execute()
  const patch = { openDependencies, dependsOnUuids: edges.map((edge) => edge.dependsOnUuid) }
  emit({
    kind: "task.dependencies_changed",
    entityType: "task",
    entityUuid: uuid,
    projectUuid,
    action: "updated",
    patch,
  })
}

/**
 * Whether `from` is, or directly or through others waits for, `to`. The store looks near `from` first, which mostly decides it;
 * a long way is walked in memory, where a step costs half as much.
 */
async function reaches(
  { db, engine }: OperationContext,
  projectUuid: string,
  from: string,
  to: string,
): Promise<boolean> {
  if (from === to) return true
  // Most new edges start at a task nobody waits for yet; then nothing can lead there.
  const waited = await db.selectFrom("taskEdges").select("taskUuid").where("dependsOnUuid", "=", to).executeTakeFirst()
  if (waited === undefined) return false
  const near = await sql<{ seen: number; hit: number }>`
    with recursive reach("uuid") as (
      select cast(${from} as text)
      union
      select e."dependsOnUuid" from reach r join "taskEdges" e on e."taskUuid" = r."uuid"
    ) select count(*) as seen, max(case when "uuid" = ${to} then 1 else 0 end) as hit from (select "uuid" from reach limit ${NEAR}) as part`.execute(
    db,
  )
  const { seen = 0, hit = 0 } = near.rows[0] ?? {}
  if (hit === 1) return true
  return seen === NEAR && leadsTo(await allEdges({ db, engine }, projectUuid), from, to)
}

function otherProject(task: TaskRecord, other: TaskRecord): ChorusError {
  return new ChorusError("other_project", `"${other.title}" belongs to another project than "${task.title}".`, {
    status: 409,
    next: "Depend on tasks of the same project.",
    details: { taskUuid: other.uuid },
  })
}

function cycle(task: TaskRecord, other: TaskRecord): ChorusError {
  const itself = task.uuid === other.uuid
  return new ChorusError(
    "dependency_cycle",
    itself
      ? `"${task.title}" cannot wait for itself.`
      : `"${other.title}" already waits for "${task.title}", directly or through others.`,
    {
      status: 409,
      next: "Remove the dependency in the other direction first.",
      details: { taskUuid: task.uuid, dependsOnUuid: other.uuid },
    },
  )
}
