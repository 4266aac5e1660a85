import { checks, ChorusError } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { operation, type OperationContext } from "../../operation.ts"
import { LIVE } from "../runs/waits.ts"
import { settingsOfProject } from "../task-work/settings.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { type Bench, benchFor } from "./check-queue.ts"
import { type CheckRecord, checkRows, keep, NOT_RUN_YET, PENDING, presentHandIn, tellCheck } from "./check-record.ts"

type Reading = Pick<OperationContext, "db" | "actor" | "now">

const AT_WORK = "Its agent is at work on it again."
const WENT_ON = "Its agent went on with the work."
const CLOSED = "The task was closed."

/** How the built thing can be tried; null where the project names no command for that. */
export async function previewOf(context: Reading, task: TaskRecord): Promise<checks.Preview | null> {
  const { db } = context
  const { preview: command } = await settingsOfProject(db, task.projectUuid)
  if (command === null) return null
  const bench = await placeFor(context, task)
  const last = await lastOf(context, task.uuid)
  const [latest = null] = await checkRows(db, last === undefined ? [] : [last])
  return { command, latest, obstacle: typeof bench === "string" ? bench : null }
}

export const startPreview = operation(checks.startPreview, async (context, { taskUuid }) => {
  const { db, actor, now, newId } = context
  const task = await findTask(db, taskUuid)
  const { preview: command } = await settingsOfProject(db, task.projectUuid)
  if (command === null)
    throw new ChorusError("no_preview_command", "The project names no command that starts what was built.", {
      status: 409,
      next: "Write one in the project's settings.",
    })
  const bench = await placeFor(context, task)
  if (typeof bench === "string")
    throw new ChorusError("no_machine_for_preview", bench, { status: 409, next: "Look at the machine and its run." })
  await lock(context, `preview:${taskUuid}`)
  const last = await lastOf(context, taskUuid)
  if (last !== undefined && isPending(last)) return rowOf(context, last)
  const preview: CheckRecord = {
    ...NOT_RUN_YET,
    ...bench,
    uuid: newId(),
    taskUuid,
    criterionUuid: null,
    name: "preview",
    command,
    source: "chorus",
    byType: actor.type,
    byUuid: actor.uuid,
    handIn: await presentHandIn(db, taskUuid),
    preview: 1,
    createdAt: now,
  }
  await db.insertInto("checks").values(preview).execute()
  return tellCheck(context, preview, "created")
})

export const stopPreview = operation(checks.stopPreview, async (context, { taskUuid }) => {
  const last = await lastOf(context, taskUuid)
  if (last === undefined)
    throw new ChorusError("no_preview", "Nothing was started to be tried.", { status: 404, next: "Start it first." })
  return rowOf(context, isPending(last) ? await end(context, last, `${context.actor.name} stopped it.`) : last)
})

/**
 * Which of the previews that run on a machine are to end: nobody wants them any more, or their worktree has work to do.
 */
export async function previewsOver(
  context: OperationContext,
  machineUuid: string,
  held: readonly string[],
): Promise<string[]> {
  if (held.length === 0) return []
  const rows = await context.db
    .selectFrom("checks as c")
    .innerJoin("tasks as t", "t.uuid", "c.taskUuid")
    .innerJoin("runs as r", "r.uuid", "c.runUuid")
    .selectAll("c")
    .select(["t.status", "r.state as runState"])
    .where("c.uuid", "in", held)
    .where("c.machineUuid", "=", machineUuid)
    .where("c.state", "=", "running")
    .execute()
  const wanted = new Set<string>()
  for (const { status, runState, ...preview } of rows) {
    const why = LIVE.some((live) => live === runState) ? WENT_ON : status === "closed" ? CLOSED : undefined
    if (why === undefined) wanted.add(preview.uuid)
    else await end(context, preview, why)
  }
  return held.filter((uuid) => !wanted.has(uuid))
}

/** The machine that has the work and may run it, or why there is none now. */
async function placeFor(context: Reading, task: TaskRecord): Promise<Bench | string> {
  if (task.status === "closed") return CLOSED
  const bench = await benchFor(context, task, "start")
  if (typeof bench === "string") return bench
  const run = await context.db
    .selectFrom("runs")
    .select("state")
    .where("uuid", "=", bench.runUuid ?? "")
    .executeTakeFirst()
  return LIVE.some((live) => live === run?.state) ? AT_WORK : bench
}

function end(context: OperationContext, preview: CheckRecord, reason: string): Promise<CheckRecord> {
  const over = { state: "not_run", reason, lease: null, leaseUntil: null, endedAt: context.now } as const
  return keep(context, preview, over)
}

function lastOf({ db }: Pick<OperationContext, "db">, taskUuid: string): Promise<CheckRecord | undefined> {
  return db
    .selectFrom("checks")
    .selectAll()
    .where("taskUuid", "=", taskUuid)
    .where("preview", "=", 1)
    .orderBy("createdAt", "desc")
    .orderBy("uuid", "desc")
    .executeTakeFirst()
}

function isPending({ state }: CheckRecord): boolean {
  return PENDING.some((pending) => pending === state)
}

async function rowOf({ db }: OperationContext, record: CheckRecord): Promise<checks.CheckRow> {
  const [row] = await checkRows(db, [record])
  if (row === undefined) throw new Error("a preview that was just read is gone")
  return row
}
