import { tasks } from "@chorus/contracts"
import { sql } from "kysely"
import { offsetOf, operation, pageOf } from "../../operation.ts"
import { ROW_COLUMNS, taskRows } from "./task-record.ts"

/** High before medium before low; then what has waited longest. */
export const BY_URGENCY = sql`case "priority" when 'high' then 0 when 'medium' then 1 else 2 end`

export const listTasks = operation(tasks.listTasks, async ({ db }, input) => {
  let query = db.selectFrom("tasks").where("projectUuid", "=", input.projectUuid)
  if (input.status !== undefined) query = query.where("status", "=", input.status)
  if (input.priority !== undefined) query = query.where("priority", "=", input.priority)
  if (input.proposalUuids !== undefined) query = query.where("proposalUuid", "in", input.proposalUuids)
  const records = await query
    .select(ROW_COLUMNS)
    .orderBy("createdAt", "desc")
    .orderBy("uuid")
    .offset(offsetOf(input))
    .limit(input.pageSize)
    .execute()
  const { total } = await query.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { tasks: await taskRows(db, records), ...pageOf(input, records.length, total) }
})

export const getAvailableTasks = operation(tasks.getAvailableTasks, async ({ db }, input) => {
  const page = { page: 1, pageSize: 50 }
  let query = db.selectFrom("tasks").where("projectUuid", "=", input.projectUuid).where("status", "=", "open")
  if (input.proposalUuids !== undefined) query = query.where("proposalUuid", "in", input.proposalUuids)
  const records = await query
    .select(ROW_COLUMNS)
    .orderBy(BY_URGENCY)
    .orderBy("createdAt")
    .orderBy("uuid")
    .limit(page.pageSize)
    .execute()
  const { total } = await query.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { tasks: await taskRows(db, records), ...pageOf(page, records.length, total) }
})

export const getUnblockedTasks = operation(tasks.getUnblockedTasks, async ({ db }, input) => {
  let query = db
    .selectFrom("tasks")
    .where("projectUuid", "=", input.projectUuid)
    .where("openDependencies", "=", 0)
    .where("status", "in", ["open", "assigned"])
  if (input.proposalUuids !== undefined) query = query.where("proposalUuid", "in", input.proposalUuids)
  const records = await query
    .select(ROW_COLUMNS)
    .orderBy(BY_URGENCY)
    .orderBy("createdAt")
    .orderBy("uuid")
    .offset(offsetOf(input))
    .limit(input.pageSize)
    .execute()
  const { total } = await query.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { tasks: await taskRows(db, records), ...pageOf(input, records.length, total) }
})
