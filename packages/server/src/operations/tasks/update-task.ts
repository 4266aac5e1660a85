import { ChorusError, type ParsedInputOf, tasks } from "@chorus/contracts"
import { isFinished } from "@chorus/core"
import { lock } from "@chorus/store"
import { operation, type OperationContext } from "../../operation.ts"
import { dropAttached } from "../attachments/drop-attached.ts"
import { touchOwnSession } from "../sessions/session-record.ts"
import { addDependencies, announceDependencies, removeDependencies } from "./edges.ts"
import { start, submit } from "./task-life.ts"
import { criteriaCounts, findTask, newCriterion, type TaskRecord } from "./task-record.ts"
import { announceDependents, dependentsOf, endWork } from "./task-step.ts"

type Input = ParsedInputOf<typeof tasks.updateTask>

export const updateTask = operation(tasks.updateTask, async (context, input) => {
  const { db } = context
  if (input.sessionUuid !== undefined) await touchOwnSession(context, input.sessionUuid)
  const before = await findTask(db, input.taskUuid)
  await editFields(context, before, input)
  if (input.acceptanceCriteriaItems !== undefined) await replaceCriteria(context, before, input.acceptanceCriteriaItems)
  if (input.removeDependsOn !== undefined) await removeDependencies(context, before, input.removeDependsOn)
  if (input.addDependsOn !== undefined) await addDependencies(context, before, input.addDependsOn)
  const task = await findTask(db, input.taskUuid)
  const after = input.status === undefined ? task : await moveOn(context, task, input.status)
  return { uuid: after.uuid, title: after.title, status: after.status, warnings: warningsOf(after) }
})

/** Saying again what is already so is no error: hooks and people repeat themselves. */
export async function moveOn(
  context: OperationContext,
  task: TaskRecord,
  status: "in_progress" | "to_verify",
): Promise<TaskRecord> {
  return status === "in_progress" ? start(context, task) : submit(context, task)
}

async function editFields({ db, now, emit }: OperationContext, task: TaskRecord, input: Input): Promise<void> {
  const row = {
    ...(input.title === undefined ? {} : { title: input.title }),
    ...(input.priority === undefined ? {} : { priority: input.priority }),
    ...(input.storyPoints === undefined ? {} : { storyPoints: input.storyPoints }),
  }
  const changes = { ...row, ...(input.description === undefined ? {} : { description: input.description }) }
  if (Object.keys(changes).length === 0) return
  await db
    .updateTable("tasks")
    .set({ ...changes, updatedAt: now })
    .where("uuid", "=", task.uuid)
    .execute()
  emit({
    kind: "task.updated",
    entityType: "task",
    entityUuid: task.uuid,
    projectUuid: task.projectUuid,
    action: "updated",
    patch: { ...changes, updatedAt: now },
  })
}

/** Rewritten criteria start unjudged; the old ones retire with their verdicts. Once handed in, the measure stays as it was. */
async function replaceCriteria(
  context: OperationContext,
  task: TaskRecord,
  items: NonNullable<Input["acceptanceCriteriaItems"]>,
): Promise<void> {
  const { db, now, newId, emit } = context
  if (task.status === "to_verify" || isFinished(task.status)) {
    throw new ChorusError(
      "criteria_fixed",
      `"${task.title}" is ${task.status}; its criteria cannot be rewritten now.`,
      { status: 409, next: "Reopen the task first." },
    )
  }
  await db
    .updateTable("criteria")
    .set({ retiredAt: now })
    .where("taskUuid", "=", task.uuid)
    .where("retiredAt", "is", null)
    .execute()
  await db
    .insertInto("criteria")
    .values(items.map((item, index) => newCriterion(newId(), task.uuid, item, index)))
    .execute()
  await db.updateTable("tasks").set({ updatedAt: now }).where("uuid", "=", task.uuid).execute()
  const patch = { ac: criteriaCounts(await findTask(db, task.uuid)), updatedAt: now }
  emit({
    kind: "task.criteria_replaced",
    entityType: "task",
    entityUuid: task.uuid,
    projectUuid: task.projectUuid,
    action: "updated",
    patch,
  })
}

function warningsOf(task: TaskRecord): string[] {
  if (task.openDependencies === 0 || task.status !== "in_progress") return []
  return [`It is in progress although ${task.openDependencies} of the tasks it depends on are not finished.`]
}

export const deleteTask = operation(tasks.deleteTask, async (context, { taskUuid, neighbours }) => {
  const { db, emit } = context
  const task = await findTask(db, taskUuid)
  await lock(context, `project:${task.projectUuid}`)
  const dependents = await dependentsOf(context, taskUuid)
  const dependsOn = await db.selectFrom("taskEdges").selectAll().where("taskUuid", "=", taskUuid).execute()
  const between = dependents.length > 0 && dependsOn.length > 0
  if (between && neighbours === undefined) throw await hasNeighbours(context, task, dependents)
  if (between && neighbours === "bridge") {
    await db
      .insertInto("taskEdges")
      .values(
        dependents.flatMap((dependent) =>
          dependsOn.map((edge) => ({ ...edge, taskUuid: dependent, createdAt: context.now })),
        ),
      )
      .onConflict((conflict) => conflict.columns(["taskUuid", "dependsOnUuid"]).doNothing())
      .execute()
  }
  await endWork(context, task, "task_deleted")
  // Edges go while both ends still stand, so that the counts of open dependencies come out right.
  await db
    .deleteFrom("taskEdges")
    .where(({ or, eb }) => or([eb("taskUuid", "=", taskUuid), eb("dependsOnUuid", "=", taskUuid)]))
    .execute()
  // What was spent stays spent.
  await db.updateTable("usages").set({ taskUuid: null }).where("taskUuid", "=", taskUuid).execute()
  await dropAttached(db, [taskUuid])
  await db.deleteFrom("tasks").where("uuid", "=", taskUuid).execute()
  // Its plan is named, since nobody can look it up any more: the ideas behind it may stand elsewhere now.
  const patch = { title: task.title, proposalUuid: task.proposalUuid }
  emit({
    kind: "task.deleted",
    entityType: "task",
    entityUuid: taskUuid,
    projectUuid: task.projectUuid,
    action: "deleted",
    patch,
  })
  if (neighbours === "bridge")
    for (const dependent of dependents) await announceDependencies(context, await findTask(db, dependent))
  await announceDependents(context, dependents)
  return { uuid: taskUuid, deleted: true as const }
})

/** Without a word about its neighbours the order they had through it would be lost. */
async function hasNeighbours(
  { db }: OperationContext,
  task: TaskRecord,
  dependents: readonly string[],
): Promise<ChorusError> {
  const waiting = await db.selectFrom("tasks").select(["uuid", "title"]).where("uuid", "in", dependents).execute()
  const dependsOn = await db
    .selectFrom("taskEdges as e")
    .innerJoin("tasks as t", "t.uuid", "e.dependsOnUuid")
    .select(["t.uuid", "t.title"])
    .where("e.taskUuid", "=", task.uuid)
    .execute()
  const titles = (rows: { title: string }[]) => rows.map(({ title }) => `"${title}"`).join(", ")
  return new ChorusError(
    "has_neighbours",
    `${titles(waiting)} waits for ${titles(dependsOn)} only through "${task.title}".`,
    {
      status: 409,
      next: "Delete it with neighbours: bridge to keep that order, or with neighbours: cut to give it up.",
      details: { taskUuid: task.uuid, dependsOn, dependedBy: waiting },
    },
  )
}
