import { tasks } from "@chorus/contracts"
import { type Db, lastPosition } from "@chorus/store"
import { sql } from "kysely"
import { notFound, offsetOf, operation, type OperationContext, pageOf, type PageInput } from "../../operation.ts"
import { bearing } from "../labels/labels.ts"
import { KeptAnswers } from "../task-work/kept-answers.ts"
import { ROW_COLUMNS, taskRows } from "./task-record.ts"

/** High before medium before low; then what has waited longest. */
export const BY_URGENCY = sql`case "priority" when 'high' then 0 when 'medium' then 1 else 2 end`

export const listTasks = operation(tasks.listTasks, async (context, input) => {
  const { db } = context
  const { status, priority, assigneeUuid, label, dueBy, ready } = input
  let query = tasksOf(db, input)
  if (status !== undefined) query = query.where("status", "=", status)
  if (priority !== undefined) query = query.where("priority", "=", priority)
  if (assigneeUuid !== undefined) query = query.where("assigneeUuid", "=", assigneeUuid)
  if (label !== undefined) query = query.where(await bearing(db, input.projectUuid, label))
  if (dueBy !== undefined) query = query.where("dueOn", "<=", dueBy)
  if (ready !== undefined)
    query = query.where("status", "in", ["open", "assigned"]).where("openDependencies", ready ? "=" : ">", 0)
  return pageOfTasks(context, query, input, "newest")
})

export const getAvailableTasks = operation(tasks.getAvailableTasks, async (context, input) =>
  pageOfTasks(context, tasksOf(context.db, input).where("status", "=", "open"), input, "urgent"),
)

export const getUnblockedTasks = operation(tasks.getUnblockedTasks, async (context, input) => {
  const ready = tasksOf(context.db, input).where("openDependencies", "=", 0).where("status", "in", ["open", "assigned"])
  return pageOfTasks(context, ready, input, "urgent")
})

type TaskQuery = ReturnType<typeof tasksOf>

function tasksOf(db: Db, input: { projectUuid: string; proposalUuids?: readonly string[] | undefined }) {
  const query = db.selectFrom("tasks").where("projectUuid", "=", input.projectUuid)
  return input.proposalUuids === undefined ? query : query.where("proposalUuid", "in", input.proposalUuids)
}

type Page = PageInput & { readonly projectUuid: string; readonly afterTaskUuid?: string | undefined }

/** What comes after a task in the order of newest first: a page is found by where it begins, not by counting up to it. */
async function behind(db: Db, query: TaskQuery, { projectUuid, afterTaskUuid }: Page): Promise<TaskQuery> {
  if (afterTaskUuid === undefined) return query
  const { createdAt } = await tasksOf(db, { projectUuid })
    .select("createdAt")
    .where("uuid", "=", afterTaskUuid)
    .executeTakeFirstOrThrow(() => notFound("task", afterTaskUuid))
  return query
    .where("createdAt", "<=", createdAt)
    .where(({ or, eb }) => or([eb("createdAt", "<", createdAt), eb("uuid", ">", afterTaskUuid)]))
}

async function pageOfTasks(context: OperationContext, query: TaskQuery, page: Page, first: "newest" | "urgent") {
  const { db } = context
  const rows = (await behind(db, query, page)).select(ROW_COLUMNS)
  const ordered = (
    first === "newest" ? rows.orderBy("createdAt", "desc") : rows.orderBy(BY_URGENCY).orderBy("createdAt")
  )
    .orderBy("uuid")
    .offset(offsetOf(page))
    .limit(page.pageSize)
  const [records, total] = await Promise.all([ordered.execute(), totalOf(context, query, page.projectUuid)])
  return { tasks: await taskRows(db, records), ...pageOf(page, records.length, total) }
}

const totals = new KeptAnswers<number>(1000)

/**
 * How many there are; counted again only once the log has told of a task of the project: of all tasks, of one that came
 * or went.
 */
async function totalOf({ db, actor }: OperationContext, query: TaskQuery, projectUuid: string): Promise<number> {
  const all = tasksOf(db, { projectUuid })
    .select(sql<number>`count(*)`.as("total"))
    .compile()
  const counting = query.select(sql<number>`count(*)`.as("total")).compile()
  const key = JSON.stringify([counting.sql, counting.parameters])
  const position = await lastPosition(db, actor.workspaceUuid)
  return totals.get(db, key, position, async (before) => {
    if (before !== undefined && !(await toldSince(db, projectUuid, before.position, counting.sql === all.sql)))
      return before.answer
    return (await db.executeQuery(counting)).rows[0]?.total ?? 0
  })
}

async function toldSince(db: Db, projectUuid: string, position: number, ofAll: boolean): Promise<boolean> {
  const told = db
    .selectFrom("events")
    .select("id")
    .where("projectUuid", "=", projectUuid)
    .where("id", ">", position)
    .where("entityType", "in", ["task", "label"])
    .limit(1)
  return (await (ofAll ? told.where("action", "<>", "updated") : told).executeTakeFirst()) !== undefined
}
