import { checks, ChorusError, criteria } from "@chorus/contracts"
import { notFound, operation } from "../../operation.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { benchFor, checkableOf, queueChecks } from "./check-queue.ts"
import { type CheckRecord, checkRows, NOT_RUN_YET, presentHandIn, tellCheck } from "./check-record.ts"
import { previewOf } from "./preview.ts"

const MOST_SHOWN = 200

export const getChecks = operation(checks.getChecks, async (context, { taskUuid, checkUuid }) => {
  const { db, actor } = context
  const task = await findTask(db, taskUuid)
  const records = await db
    .selectFrom("checks")
    .selectAll()
    .where("taskUuid", "=", taskUuid)
    .where("preview", "=", 0)
    .orderBy("createdAt", "desc")
    .orderBy("uuid", "desc")
    .limit(MOST_SHOWN)
    .execute()
  const bench = await benchFor(context, task)
  const printed = records.find(({ uuid }) => uuid === checkUuid)?.output ?? null
  return {
    checks: await checkRows(db, records),
    // Colours are for eyes.
    output: printed === null || actor.type === "user" ? printed : criteria.withoutTerminalCodes(printed),
    checkable: await checkableOf(db, task),
    obstacle: typeof bench === "string" ? bench : null,
    preview: await previewOf(context, task),
  }
})

export const runChecks = operation(checks.runChecks, async (context, { taskUuid, command }) => {
  const task = await findTask(context.db, taskUuid)
  const items = (await checkableOf(context.db, task)).filter(
    (item) => command === undefined || item.command === command,
  )
  if (items.length === 0) throw nothingToRun(task)
  for (const item of items) if (!item.approved && command !== undefined) throw notApproved(item)
  const bench = await benchFor(context, task)
  if (typeof bench === "string")
    throw new ChorusError("no_machine_for_checks", bench, {
      status: 409,
      next: "Run `chorus check` in a checkout of the work, or look at the machine.",
    })
  const due = { bench, items: items.filter(({ approved }) => approved) }
  return { checks: await queueChecks(context, task, due, false) }
})

export const approveCheck = operation(checks.approveCheck, async (context, { taskUuid, criterionUuid, command }) => {
  const { db, actor, now, emit } = context
  const task = await findTask(db, taskUuid)
  const approved = await db
    .updateTable("criteria")
    .set({ approvedByUuid: actor.uuid })
    .where("uuid", "=", criterionUuid)
    .where("taskUuid", "=", taskUuid)
    .where("retiredAt", "is", null)
    // Whoever rewrote it meanwhile has written another criterion.
    .where("command", "=", command)
    .executeTakeFirst()
  if (approved.numUpdatedRows !== 1n) throw notFound("criterion", criterionUuid)
  emit({
    kind: "task.updated",
    entityType: "task",
    entityUuid: taskUuid,
    projectUuid: task.projectUuid,
    action: "updated",
    patch: { updatedAt: now },
  })
  return { checkable: await checkableOf(db, task) }
})

/** By a person it is theirs; by an agent's key it is a claim like any other of an agent's. */
export const sendCheck = operation(checks.sendCheck, async (context, { taskUuid, command, machine, ...result }) => {
  const { db, actor, now, newId } = context
  const task = await findTask(db, taskUuid)
  const item = (await checkableOf(db, task)).find((one) => one.command === command)
  if (item === undefined) throw nothingToRun(task)
  if (!item.approved) throw notApproved(item)
  const { touched, ...told } = result
  const check: CheckRecord = {
    ...NOT_RUN_YET,
    uuid: newId(),
    taskUuid,
    criterionUuid: item.criterionUuid,
    name: item.name,
    command,
    source: actor.type === "agent" ? "agent" : "person",
    byType: actor.type,
    byUuid: actor.uuid,
    handIn: await presentHandIn(db, taskUuid),
    createdAt: now,
    machine,
    ...ended({ ...told, touched }, now),
  }
  await db.insertInto("checks").values(check).execute()
  return tellCheck(context, check, "created")
})

/** How a check stands once its command has ended. */
export function ended(
  {
    touched,
    ...result
  }: Pick<CheckRecord, "exitCode" | "reason" | "durationMs" | "output" | "outputBytes" | "environment" | "tree"> & {
    readonly touched: readonly string[]
  },
  now: string,
) {
  const passed = result.exitCode === 0 && result.reason === null
  return {
    ...result,
    touched: JSON.stringify(touched),
    state: passed ? ("passed" as const) : ("failed" as const),
    lease: null,
    leaseUntil: null,
    endedAt: now,
  }
}

function nothingToRun(task: TaskRecord): ChorusError {
  return new ChorusError("no_such_check", `"${task.title}" has no such command to be checked by.`, {
    status: 404,
    next: "Get the task to see its criteria; a person can give one a command, or name checks in the project's settings.",
  })
}

function notApproved({ command }: Pick<checks.Checkable, "command">): ChorusError {
  return new ChorusError("check_not_approved", `No person has approved \`${command}\`.`, {
    status: 403,
    next: "Have a person approve it on the task's page; it is code.",
  })
}
