import { tasks } from "@chorus/contracts"
import { acceptanceStatus, acceptanceSummary } from "@chorus/core"
import type { Db } from "@chorus/store"
import { sql } from "kysely"
import { namesOf, operation, type OperationContext } from "../../operation.ts"
import { handInsOf, returnedOf } from "./hand-in.ts"
import { blockersOf } from "./task-step.ts"
import { criteriaOf, findTask, type TaskRecord, taskRow } from "./task-record.ts"

type Reading = Pick<OperationContext, "db" | "actor" | "now">

const RECENT_REPORTS = 5

export const getTask = operation(tasks.getTask, async (context, { taskUuid }) =>
  taskDetail(context, await findTask(context.db, taskUuid)),
)

export async function taskDetail(context: Reading, task: TaskRecord): Promise<tasks.TaskDetail> {
  const { db } = context
  const items = await criteriaOf(db, task.uuid)
  const nameOf = await namesOf(db, [task.assigneeUuid, task.assignedByUuid, task.createdByUuid])
  const assignee = nameOf(task.assigneeType, task.assigneeUuid)
  return {
    returned: await returnedOf(db, task),
    ...taskRow(task, nameOf),
    version: task.version,
    description: task.description,
    acceptanceCriteria: task.acceptanceCriteria,
    acceptanceCriteriaItems: items,
    acceptanceStatus: acceptanceStatus(items),
    acceptanceSummary: acceptanceSummary(items),
    assignee: assignee && {
      ...assignee,
      assignedAt: task.assignedAt,
      assignedBy: nameOf(task.assignedByType, task.assignedByUuid),
    },
    project: await db
      .selectFrom("projects")
      .select(["uuid", "name"])
      .where("uuid", "=", task.projectUuid)
      .executeTakeFirstOrThrow(),
    createdBy: nameOf(task.createdByType, task.createdByUuid),
    dependsOn: await linksOf(db, task.uuid, "dependsOn"),
    dependedBy: await linksOf(db, task.uuid, "dependedBy"),
    blockers: task.openDependencies === 0 ? [] : await blockersOf(context, task.uuid),
    reports: await reportsOf(db, task.uuid, RECENT_REPORTS),
    handIns: await handInsOf(db, task.uuid),
    commentCount: await commentCount(db, task.uuid),
    references: await db
      .selectFrom("referenceLinks")
      .select(["uuid", "type", "url", "title", "notes"])
      .where("targetUuid", "=", task.uuid)
      .orderBy("createdAt")
      .orderBy("uuid")
      .execute(),
    startedAt: task.startedAt,
    submittedAt: task.submittedAt,
    doneAt: task.doneAt,
  }
}

/** What whoever takes a task on needs at once, and what to mind. */
export async function claimedTask(context: Reading, task: TaskRecord): Promise<tasks.ClaimedTask> {
  const {
    uuid,
    title,
    status,
    description,
    priority,
    assignee,
    acceptanceCriteriaItems,
    dependsOn,
    dependedBy,
    blockers,
  } = await taskDetail(context, task)
  const hints = [
    ...blockers.map(
      (blocker) =>
        `Waits for "${blocker.title}" (${blocker.status}${blocker.assignee === null ? "" : `, ${blocker.assignee.name}`}).`,
    ),
    ...acceptanceCriteriaItems
      .filter((item) => item.command !== null)
      .map((item) => `Check "${item.description}" by running: ${item.command}`),
  ]
  return {
    uuid,
    title,
    status,
    description,
    priority,
    assignee,
    acceptanceCriteriaItems,
    dependsOn,
    dependedBy,
    _hints: hints,
  }
}

/** Work reports, newest first. */
export async function reportsOf(db: Db, taskUuid: string, limit: number): Promise<tasks.WorkReport[]> {
  const records = await db
    .selectFrom("workReports")
    .selectAll()
    .where("taskUuid", "=", taskUuid)
    .orderBy("createdAt", "desc")
    .orderBy("uuid", "desc")
    .limit(limit)
    .execute()
  const nameOf = await namesOf(
    db,
    records.map((record) => record.authorUuid),
  )
  return records.map(({ uuid, content, sessionUuid, commentUuid, createdAt, authorType, authorUuid }) => ({
    uuid,
    taskUuid,
    content,
    author: nameOf(authorType, authorUuid),
    sessionUuid,
    commentUuid,
    createdAt,
  }))
}

async function linksOf(db: Db, taskUuid: string, direction: "dependsOn" | "dependedBy"): Promise<tasks.TaskLink[]> {
  const [own, other] =
    direction === "dependsOn"
      ? (["e.taskUuid", "e.dependsOnUuid"] as const)
      : (["e.dependsOnUuid", "e.taskUuid"] as const)
  const rows = await db
    .selectFrom("taskEdges as e")
    .innerJoin("tasks as t", "t.uuid", other)
    .select(["t.uuid", "t.title", "t.status", "t.assigneeType", "t.assigneeUuid", "e.contract"])
    .where(own, "=", taskUuid)
    .orderBy("t.createdAt")
    .orderBy("t.uuid")
    .execute()
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.assigneeUuid),
  )
  return rows.map(({ assigneeType, assigneeUuid, ...rest }) => ({
    ...rest,
    assignee: nameOf(assigneeType, assigneeUuid),
  }))
}

async function commentCount(db: Db, taskUuid: string): Promise<number> {
  const { total } = await db
    .selectFrom("comments")
    .select(sql<number>`count(*)`.as("total"))
    .where("targetUuid", "=", taskUuid)
    .where("deletedAt", "is", null)
    .executeTakeFirstOrThrow()
  return total
}
