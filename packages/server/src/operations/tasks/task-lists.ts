import { tasks } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import { sql } from "kysely"
import { offsetOf, operation, pageOf, type PageInput } from "../../operation.ts"
import { bearing } from "../labels/labels.ts"
import { ROW_COLUMNS, taskRows } from "./task-record.ts"

/** High before medium before low; then what has waited longest. */
export const BY_URGENCY = sql`case "priority" when 'high' then 0 when 'medium' then 1 else 2 end`

export const listTasks = operation(tasks.listTasks, async ({ db }, input) => {
  const { status, priority, assigneeUuid, label, dueBy, ready } = input
  let query = tasksOf(db, input)
  if (status !== undefined) query = query.where("status", "=", status)
  if (priority !== undefined) query = query.where("priority", "=", priority)
  if (assigneeUuid !== undefined) query = query.where("assigneeUuid", "=", assigneeUuid)
  if (label !== undefined) query = query.where(await bearing(db, input.projectUuid, label))
  if (dueBy !== undefined) query = query.where("dueOn", "<=", dueBy)
  if (ready !== undefined)
    query = query.where("status", "in", ["open", "assigned"]).where("openDependencies", ready ? "=" : ">", 0)
  return pageOfTasks(db, query, input, "newest")
})

export const getAvailableTasks = operation(tasks.getAvailableTasks, async ({ db }, input) =>
  pageOfTasks(db, tasksOf(db, input).where("status", "=", "open"), input, "urgent"),
)

export const getUnblockedTasks = operation(tasks.getUnblockedTasks, async ({ db }, input) => {
  const ready = tasksOf(db, input).where("openDependencies", "=", 0).where("status", "in", ["open", "assigned"])
  return pageOfTasks(db, ready, input, "urgent")
})

type TaskQuery = ReturnType<typeof tasksOf>

function tasksOf(db: Db, input: { projectUuid: string; proposalUuids?: readonly string[] | undefined }) {
  const query = db.selectFrom("tasks").where("projectUuid", "=", input.projectUuid)
  return input.proposalUuids === undefined ? query : query.where("proposalUuid", "in", input.proposalUuids)
}

async function pageOfTasks(db: Db, query: TaskQuery, page: PageInput, first: "newest" | "urgent") {
  const rows = query.select(ROW_COLUMNS)
  const records = await (
    first === "newest" ? rows.orderBy("createdAt", "desc") : rows.orderBy(BY_URGENCY).orderBy("createdAt")
  )
    .orderBy("uuid")
    .offset(offsetOf(page))
    .limit(page.pageSize)
    .execute()
  const { total } = await query.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { tasks: await taskRows(db, records), ...pageOf(page, records.length, total) }
}
