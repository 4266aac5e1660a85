import { tasks } from "@chorus/contracts"
import { acceptanceStatus, acceptanceSummary } from "@chorus/core"
import { askedOften, type Db } from "@chorus/store"
import { sql } from "kysely"
import { actorRef, type NameOf, namesOf, operation, type OperationContext } from "../../operation.ts"
import { openBlockers } from "../changes/threads.ts"
import { lacksReview } from "../reviews/review-gate.ts"
import { handInsOf, openFindings, returnedOf } from "./hand-in.ts"
import { blockersOf } from "./task-step.ts"
import { criteriaOf, findTask, type TaskRecord, taskRow } from "./task-record.ts"

type Reading = Pick<OperationContext, "db" | "actor" | "now">

const RECENT_REPORTS = 5
const MOST_FILES = 20

export const getTask = operation(tasks.getTask, async (context, { taskUuid }) =>
  taskDetail(context, await findTask(context.db, taskUuid)),
)

export async function taskDetail(context: Reading, task: TaskRecord): Promise<tasks.TaskDetail> {
  const { db } = context
  const items = await criteriaOf(db, task.uuid)
  const nameOf = await namesOf(db, [task.assigneeUuid, task.assignedByUuid, task.createdByUuid])
  const unresolved = await openBlockers(db, task.uuid)
  const findings = await openFindings(db, task.uuid)
  const files = await filesOf(db, [task.uuid])
  const calledThere = await namesThere(db, task.uuid)
  return {
    returned: await returnedOf(db, task),
    ...taskRow(task, nameOf),
    version: task.version,
    description: task.description,
    acceptanceCriteria: task.acceptanceCriteria,
    acceptanceCriteriaItems: items,
    acceptanceStatus: acceptanceStatus(items),
    acceptanceSummary: acceptanceSummary(items),
    assignee: assigneeOf(task, nameOf),
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
    ...(unresolved.length === 0 ? {} : { openBlockers: unresolved }),
    ...(findings.length === 0 ? {} : { openFindings: findings }),
    ...((await lacksReview(db, task)) ? { reviewMissing: true as const } : {}),
    ...(files.length === 0 ? {} : { files }),
    commentCount: await commentCount(db, task.uuid),
    ...(calledThere.length === 0 ? {} : { calledThere }),
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

function namesThere(db: Db, uuid: string): Promise<NonNullable<tasks.TaskDetail["calledThere"]>> {
  return db
    .selectFrom("importedItems")
    .select(["origin", "key"])
    .where("uuid", "=", uuid)
    .orderBy("origin")
    .orderBy("key")
    .execute()
}

/** The files of some things, oldest first. */
export function filesOf(db: Db, targetUuids: readonly string[]): Promise<NonNullable<tasks.TaskDetail["files"]>> {
  return db
    .selectFrom("attachmentFiles")
    .select(["uuid", "name"])
    .where("targetUuid", "in", targetUuids)
    .orderBy("createdAt")
    .orderBy("uuid")
    .limit(MOST_FILES)
    .execute()
}

function assigneeOf(task: TaskRecord, nameOf: NameOf): tasks.TaskDetail["assignee"] {
  const assignee = nameOf(task.assigneeType, task.assigneeUuid)
  const assignedBy = nameOf(task.assignedByType, task.assignedByUuid)
  return assignee && { ...assignee, assignedAt: task.assignedAt, assignedBy }
}

/** Asks for what stands around a task and stays as it is when somebody takes it on. */
export function aroundTask(db: Db, taskUuid: string) {
  const asked = Promise.all([
    criteriaOf(db, taskUuid),
    linksOf(db, taskUuid, "dependsOn"),
    linksOf(db, taskUuid, "dependedBy"),
  ])
  // Whoever cannot take it on has another error to tell.
  asked.catch(() => undefined)
  return asked
}

/** The same with what the task waits for, if it waits. */
export function surroundings(
  context: Reading,
  { uuid, openDependencies }: TaskRecord,
  around = aroundTask(context.db, uuid),
) {
  const asked = Promise.all([around, openDependencies === 0 ? [] : blockersOf(context, uuid)])
  asked.catch(() => undefined)
  return asked
}

/** What whoever takes a task on needs at once, and what to mind. */
export async function claimedTask(
  context: Reading,
  task: TaskRecord,
  around = surroundings(context, task),
): Promise<tasks.ClaimedTask> {
  const { db, actor } = context
  const { uuid, title, status, description, priority } = task
  const others = [task.assigneeUuid, task.assignedByUuid].filter((who) => who !== actor.uuid)
  const [nameOther, [[acceptanceCriteriaItems, dependsOn, dependedBy], blockers]] = await Promise.all([
    namesOf(db, others),
    around,
  ])
  const nameOf: NameOf = (type, who) => (who === actor.uuid ? actorRef(actor) : nameOther(type, who))
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
    assignee: assigneeOf(task, nameOf),
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

const LINKS = {
  dependsOn: linked("e.taskUuid", "e.dependsOnUuid"),
  dependedBy: linked("e.dependsOnUuid", "e.taskUuid"),
}

function linked(own: "e.taskUuid" | "e.dependsOnUuid", other: "e.taskUuid" | "e.dependsOnUuid") {
  return askedOften((db, taskUuid) =>
    db
      .selectFrom("taskEdges as e")
      .innerJoin("tasks as t", "t.uuid", other)
      .select(["t.uuid", "t.title", "t.status", "t.assigneeType", "t.assigneeUuid", "e.contract"])
      .where(own, "=", taskUuid)
      .orderBy("t.createdAt")
      .orderBy("t.uuid"),
  )
}

async function linksOf(db: Db, taskUuid: string, direction: "dependsOn" | "dependedBy"): Promise<tasks.TaskLink[]> {
  const rows = await LINKS[direction].all(db, taskUuid)
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
