import { ChorusError, type criteria as Criteria, tasks } from "@chorus/contracts"
import { isFinished } from "@chorus/core"
import { type Db, lock, type Schema, writtenOften } from "@chorus/store"
import type { Updateable } from "kysely"
import { notFound, operation, type OperationContext } from "../../operation.ts"
import { askAudience } from "../../reactors/audience.ts"
import { askSubjects, subjectChanges } from "../../reactors/subject.ts"
import { dropAttached } from "../attachments/drop-attached.ts"
import { assertMayChangeScope, assertMayRewrite, assertMayTakeAway } from "../change-requests/rewrite.ts"
import { labelsNamed } from "../labels/labels.ts"
import { touchOwnSession } from "../sessions/session-record.ts"
import { addDependencies, announceDependencies, removeDependencies } from "./edges.ts"
import { start, submit } from "./task-life.ts"
import { type Author, assertVersion, holdText, keepChange, measureText, taskText } from "../versions/text-version.ts"
import { criteriaCounts, criteriaOf, findTask, holdTask, isHeld, newCriterion, type TaskRecord } from "./task-record.ts"
import { announceDependents, dependentsOf, endWork } from "./task-step.ts"

type CriterionInput = Criteria.CriterionInput
type CriterionRow = Criteria.CriterionRow

export const updateTask = operation(tasks.updateTask, async (context, input) => {
  const { db } = context
  if (input.sessionUuid !== undefined) await touchOwnSession(context, input.sessionUuid)
  const { title, description, priority, storyPoints, labels, dueOn, acceptanceCriteriaItems: criteria } = input
  const { expectedVersion } = input
  const wanted = { title, description, priority, storyPoints, labels, dueOn, criteria }
  const { addDependsOn, removeDependsOn } = input
  const isAll = (addDependsOn ?? removeDependsOn ?? input.status) === undefined
  const rewritten = await rewriteTask(context, input.taskUuid, wanted, { expectedVersion, isAll })
  if (removeDependsOn !== undefined) await removeDependencies(context, rewritten, removeDependsOn)
  if (addDependsOn !== undefined) await addDependencies(context, rewritten, addDependsOn, input.contract)
  const task = (addDependsOn ?? removeDependsOn) === undefined ? rewritten : await findTask(db, input.taskUuid)
  const after = input.status === undefined ? task : await moveOn(context, task, input.status, input.insist)
  return {
    uuid: after.uuid,
    title: after.title,
    status: after.status,
    version: after.version,
    warnings: warningsOf(after),
  }
})

/** Saying again what is already so is no error: hooks and people repeat themselves. */
export async function moveOn(
  context: OperationContext,
  task: TaskRecord,
  status: "in_progress" | "to_verify",
  insist?: boolean,
): Promise<TaskRecord> {
  return status === "in_progress" ? start(context, task) : submit(context, task, { insist })
}

interface HowRewritten {
  readonly expectedVersion?: number | undefined
  readonly author?: Author | undefined
  /** Whether nothing else happens to any task in this change. */
  readonly isAll?: boolean
}

interface Rewriting {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
  readonly priority?: tasks.TaskPriority | undefined
  readonly storyPoints?: number | null | undefined
  readonly labels?: readonly string[] | undefined
  readonly dueOn?: string | null | undefined
  readonly criteria?: readonly CriterionInput[] | undefined
}

/**
 * Changes a task. Other words or criteria make a version, and what was approved or a person wrote is not for an agent to rewrite;
 * priority, size, labels and due day are how the work is arranged, not what it is.
 */
export async function rewriteTask(
  context: OperationContext,
  taskUuid: string,
  { title, description, priority, storyPoints, labels, dueOn, criteria }: Rewriting,
  { expectedVersion, author, isAll = false }: HowRewritten = {},
): Promise<TaskRecord> {
  const { db, now, emit, besides } = context
  // Asked together: who holds the text sees what the one before left.
  const [, task, inForce] = await Promise.all([
    holdText(context, taskUuid),
    isAll ? holdTask(context, taskUuid) : findTask(db, taskUuid),
    title === undefined && description === undefined && criteria === undefined ? [] : criteriaOf(db, taskUuid),
  ])
  const about = { targetType: "task", targetUuid: taskUuid, uuid: taskUuid } as const
  await assertVersion(db, { ...about, title: task.title, version: task.version }, expectedVersion)
  const words = {
    ...(title === undefined || title === task.title ? {} : { title }),
    ...(description === undefined || description === task.description ? {} : { description }),
  }
  const arranged = {
    ...(priority === undefined ? {} : { priority }),
    ...(storyPoints === undefined ? {} : { storyPoints }),
    ...(dueOn === undefined ? {} : { dueOn }),
  }
  const filing = labels === undefined ? {} : { labels: await labelsNamed(context, task.projectUuid, labels) }
  const others = criteria === undefined || sameCriteria(inForce, criteria) ? undefined : criteria
  const rewritten = Object.keys(words).length > 0 || others !== undefined
  const fields = { ...words, ...arranged, ...filing }
  if (!rewritten && Object.keys(fields).length === 0) return task
  if (rewritten) await assertMayRewrite(context, { ...task, ...about })
  const version = task.version + (rewritten ? 1 : 0)
  const changes = { ...words, ...arranged, ...filed(filing), version, updatedAt: now }
  const given = { ...changes, uuid: taskUuid }
  const isKnown = isHeld(task)
  const asked = isKnown ? [{ ...task, ...changes }] : changedTask(db, given).execute()
  if (isKnown) besides(changeTask(db, given))
  else {
    askSubjects(context, "task", [taskUuid])
    askAudience(context, [task.assigneeUuid, task.createdByUuid])
  }
  const [changed] = await asked
  if (changed === undefined) throw notFound("task", taskUuid)
  subjectChanges(context, taskUuid, { title: changed.title })
  if (others !== undefined) await replaceCriteria(context, changed, inForce, others)
  if (rewritten)
    keepChange(
      context,
      { ...task, ...about, content: taskText(task.description, inForce) },
      { ...about, version, title: changed.title, content: taskText(changed.description, others ?? inForce) },
      author,
    )
  if (Object.keys(fields).length === 0) return changed
  const before = {
    ...("title" in words ? { title: task.title } : {}),
    ...("description" in words ? { description: task.description } : {}),
  }
  emit({
    kind: "task.updated",
    entityType: "task",
    entityUuid: taskUuid,
    projectUuid: task.projectUuid,
    action: "updated",
    patch: { ...fields, ...(Object.keys(words).length === 0 ? {} : { version, before }), updatedAt: now },
  })
  return changed
}

const changeTask = writtenOften(changing)
const changedTask = writtenOften((db, given: Given) => changing(db, given).returningAll())

type Given = Updateable<Schema["tasks"]> & { uuid: string }

function changing(db: Db, { uuid, ...changes }: Given) {
  return db.updateTable("tasks").set(changes).where("uuid", "=", uuid)
}

function filed({ labels }: { readonly labels?: readonly string[] }): { labels?: string } {
  return labels === undefined ? {} : { labels: JSON.stringify(labels) }
}

/**
 * A criterion that stays keeps its verdicts; a rewritten one starts unjudged, and the old one retires with its own. Once handed in, the
 * measure stays as it was.
 */
async function replaceCriteria(
  context: OperationContext,
  task: TaskRecord,
  old: readonly CriterionRow[],
  items: readonly CriterionInput[],
): Promise<void> {
  const { db, now, emit } = context
  if (task.status === "to_verify" || isFinished(task.status)) {
    throw new ChorusError(
      "criteria_fixed",
      `"${task.title}" is ${task.status}; its criteria cannot be rewritten now.`,
      { status: 409, next: "Reopen the task first." },
    )
  }
  const free = [...old]
  const placed = items.map((item) => {
    const at = free.findIndex((known) => isSame(known, item))
    return { item, kept: at < 0 ? undefined : free.splice(at, 1)[0] }
  })
  for (const [sortOrder, { item, kept }] of placed.entries()) {
    if (kept === undefined)
      await db
        .insertInto("criteria")
        .values(newCriterion(context, task.uuid, item, sortOrder))
        .execute()
    else await db.updateTable("criteria").set({ sortOrder }).where("uuid", "=", kept.uuid).execute()
  }
  const gone = free.map(({ uuid }) => uuid)
  if (gone.length > 0) await db.updateTable("criteria").set({ retiredAt: now }).where("uuid", "in", gone).execute()
  const patch = {
    title: task.title,
    version: task.version,
    criteria: items.map(measureText),
    before: { criteria: old.map(measureText) },
    ac: criteriaCounts(await findTask(db, task.uuid)),
    updatedAt: now,
  }
  emit({
    kind: "task.criteria_replaced",
    entityType: "task",
    entityUuid: task.uuid,
    projectUuid: task.projectUuid,
    action: "updated",
    patch,
  })
}

function isSame(known: CriterionRow, { description, required = true, command }: CriterionInput): boolean {
  return known.description === description && known.required === required && known.command === (command ?? null)
}

function sameCriteria(old: readonly CriterionRow[], items: readonly CriterionInput[]): boolean {
  return old.length === items.length && items.every((item, at) => old[at] !== undefined && isSame(old[at], item))
}

function warningsOf(task: TaskRecord): string[] {
  if (task.openDependencies === 0 || task.status !== "in_progress") return []
  return [`It is in progress although ${task.openDependencies} of the tasks it depends on are not finished.`]
}

export const deleteTask = operation(tasks.deleteTask, async (context, { taskUuid, neighbours }) => {
  const { db, emit } = context
  const task = await findTask(db, taskUuid)
  await lock(context, `project:${task.projectUuid}`)
  await assertMayChangeScope(context, task.proposalUuid, "deleting one of its tasks")
  await assertMayTakeAway(context, { ...task, targetType: "task" })
  askSubjects(context, "task", [taskUuid])
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
