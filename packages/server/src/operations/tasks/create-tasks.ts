import { ChorusError, type ParsedInputOf, tasks } from "@chorus/contracts"
import { findCycle, type GraphEdge } from "@chorus/core"
import type { Db, Schema } from "@chorus/store"
import { notFound, operation, type OperationContext } from "../../operation.ts"
import { assertMayChangeScope } from "../change-requests/rewrite.ts"
import { labelsNamed } from "../labels/labels.ts"
import { nextShortIds } from "../projects/short-ids.ts"
import { newCriterion, NOT_BEGUN, ROW_COLUMNS, taskRows } from "./task-record.ts"

type Input = ParsedInputOf<typeof tasks.createTasks>

const MOST_ROWS_PER_STATEMENT = 500

export const createTasks = operation(tasks.createTasks, (context, input) => addTasks(context, input))

/** Adds tasks, all or none. An agent adds none to what was approved. `settled`: those that were finished elsewhere. */
export async function addTasks(context: OperationContext, input: Input, settled: readonly Settled[] = []) {
  const { db, newId, emit } = context
  if (input.proposalUuid !== undefined) await assertSameProject(db, input.proposalUuid, input.projectUuid)
  await assertMayChangeScope(context, input.proposalUuid ?? null, "adding a task to it")
  const planned = input.tasks.map((task, at) => ({ uuid: newId(), task, status: settled[at] ?? ("open" as const) }))
  const edges = await edgesOf(db, input.projectUuid, planned)
  await insertTasks(context, input, planned, edges)
  const uuids = planned.map(({ uuid }) => uuid)
  const records = await db.selectFrom("tasks").select(ROW_COLUMNS).where("uuid", "in", uuids).execute()
  const rows = new Map((await taskRows(db, records)).map((row) => [row.uuid, row]))
  const created = planned.flatMap(({ uuid, task }) => {
    const row = rows.get(uuid)
    return row === undefined ? [] : [{ ...row, draftUuid: task.draftUuid ?? null }]
  })
  for (const { draftUuid: _, ...row } of created) {
    const dependsOnUuids = edges.filter((edge) => edge.taskUuid === row.uuid).map((edge) => edge.dependsOnUuid)
    emit({
      kind: "task.created",
      entityType: "task",
      entityUuid: row.uuid,
      projectUuid: row.projectUuid,
      action: "created",
      patch: { ...row, dependsOnUuids },
    })
  }
  return { tasks: created, warnings: warningsOf(input, edges) }
}

type Edge = GraphEdge & { readonly contract: string | null }
type Settled = "done" | "closed" | undefined
type Planned = readonly { uuid: string; task: Input["tasks"][number]; status: "open" | "done" | "closed" }[]

/** New tasks can be waited for by nobody yet, so a circle can only lie among themselves. */
async function edgesOf(db: Db, projectUuid: string, planned: Planned): Promise<Edge[]> {
  const byDraft = new Map<string, string>()
  for (const { uuid, task } of planned) {
    if (task.draftUuid === undefined) continue
    if (byDraft.has(task.draftUuid))
      throw unusable(`Two tasks are called ${task.draftUuid} in this call.`, "Give each its own draftUuid.")
    byDraft.set(task.draftUuid, uuid)
  }
  const among = planned.flatMap(({ uuid, task }) =>
    [...new Set(task.dependsOnDraftUuids)].map((draft): Edge => {
      const dependsOnUuid = byDraft.get(draft)
      if (dependsOnUuid === undefined)
        throw unusable(
          `"${task.title}" depends on ${draft}, which no task of this call is called.`,
          "Name the draftUuid of another task, or use dependsOnTaskUuids.",
        )
      return { taskUuid: uuid, dependsOnUuid, contract: task.contracts?.[draft] ?? null }
    }),
  )
  const circle = findCycle(among)
  if (circle !== undefined) {
    const titles = circle.map((uuid) => planned.find((each) => each.uuid === uuid)?.task.title ?? uuid)
    throw new ChorusError("dependency_cycle", `These tasks wait for each other: ${titles.join(" → ")}.`, {
      status: 409,
      next: "Take one of these dependencies out.",
    })
  }
  const existing = planned.flatMap(({ uuid, task }) =>
    [...new Set(task.dependsOnTaskUuids)].map((dependsOnUuid): Edge => ({
      taskUuid: uuid,
      dependsOnUuid,
      contract: task.contracts?.[dependsOnUuid] ?? null,
    })),
  )
  await assertAllInProject(
    db,
    projectUuid,
    existing.map((edge) => edge.dependsOnUuid),
  )
  return [...among, ...existing]
}

async function insertTasks(
  context: OperationContext,
  input: Input,
  planned: Planned,
  edges: readonly Edge[],
): Promise<void> {
  const { db, actor, now, newId } = context
  const shortIds = await nextShortIds(db, input.projectUuid, planned.length)
  const named = planned.flatMap(({ task }) => task.labels ?? [])
  const spelt = new Map(
    (await labelsNamed(context, input.projectUuid, named)).map((name) => [name.toLowerCase(), name]),
  )
  const records = planned.map(({ uuid, task, status }, at) => ({
    uuid,
    projectUuid: input.projectUuid,
    shortId: shortIds[at] ?? null,
    title: task.title,
    description: task.description ?? null,
    ...NOT_BEGUN,
    status,
    doneAt: status === "done" ? now : null,
    priority: task.priority ?? "medium",
    storyPoints: task.storyPoints ?? null,
    labels: JSON.stringify([...new Set(task.labels?.map((name) => spelt.get(name.toLowerCase()) ?? name))]),
    dueOn: task.dueOn ?? null,
    proposalUuid: input.proposalUuid ?? null,
    draftUuid: null,
    createdByType: actor.type,
    createdByUuid: actor.uuid,
    createdAt: now,
    updatedAt: now,
  }))
  for (const part of inParts(records)) await db.insertInto("tasks").values(part).execute()
  const criteria = planned.flatMap(({ uuid, task }) =>
    task.acceptanceCriteriaItems.map((item, index) => newCriterion(context, uuid, item, index)),
  )
  for (const part of inParts(criteria)) await db.insertInto("criteria").values(part).execute()
  const edgeRows = edges.map((edge) => ({ ...edge, projectUuid: input.projectUuid, createdAt: now }))
  for (const part of inParts(edgeRows)) await db.insertInto("taskEdges").values(part).execute()
  const references = planned.flatMap(({ uuid, task }) =>
    (task.references ?? []).map((reference): Schema["referenceLinks"] => ({
      uuid: newId(),
      projectUuid: input.projectUuid,
      targetType: "task",
      targetUuid: uuid,
      type: reference.type,
      url: reference.url,
      title: reference.title,
      notes: reference.notes ?? null,
      createdByType: actor.type,
      createdByUuid: actor.uuid,
      createdAt: now,
      updatedAt: now,
    })),
  )
  for (const part of inParts(references)) await db.insertInto("referenceLinks").values(part).execute()
}

async function assertSameProject(db: Db, proposalUuid: string, projectUuid: string): Promise<void> {
  const proposal = await db
    .selectFrom("proposals")
    .select("projectUuid")
    .where("uuid", "=", proposalUuid)
    .executeTakeFirst()
  if (proposal?.projectUuid !== projectUuid) throw notFound("proposal", proposalUuid)
}

async function assertAllInProject(db: Db, projectUuid: string, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return
  const found = await db
    .selectFrom("tasks")
    .select("uuid")
    .where("projectUuid", "=", projectUuid)
    .where("uuid", "in", uuids)
    .execute()
  const known = new Set(found.map((row) => row.uuid))
  const missing = uuids.find((uuid) => !known.has(uuid))
  if (missing !== undefined) throw notFound("task", missing)
}

function warningsOf(input: Input, edges: readonly GraphEdge[]): string[] {
  const undescribed = input.tasks
    .filter((task) => (task.description ?? "").trim() === "")
    .map((task) => `"${task.title}" has no description.`)
  return input.tasks.length > 1 && edges.length === 0
    ? [...undescribed, "None of these tasks depends on another; all can start at once."]
    : undescribed
}

function unusable(message: string, next: string): ChorusError {
  return new ChorusError("invalid_dependencies", message, { next })
}

function inParts<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / MOST_ROWS_PER_STATEMENT) }, (_, part) =>
    rows.slice(part * MOST_ROWS_PER_STATEMENT, (part + 1) * MOST_ROWS_PER_STATEMENT),
  )
}
