import type { checks } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { settingsOfProject } from "../task-work/settings.ts"
import type { TaskRecord } from "../tasks/task-record.ts"
import { type CheckRecord, NOT_RUN_YET, PENDING, presentChecks, presentHandIn, tellCheck } from "./check-record.ts"

/** A runner asks every few seconds; one that has not is away. */
export const AWAY_MS = 30_000

type Task = { readonly uuid: string; readonly projectUuid: string }

export interface Bench {
  readonly runUuid: string
  readonly machineUuid: string
  readonly machine: string | null
}

/** What can be checked by a command on a task: its criteria, then what its project asks of all work. */
export async function checkableOf(db: Db, task: Task): Promise<checks.Checkable[]> {
  const own = await db
    .selectFrom("criteria")
    .select(["uuid as criterionUuid", "description as name", "command", "approvedByUuid"])
    .where("taskUuid", "=", task.uuid)
    .where("retiredAt", "is", null)
    .where("command", "is not", null)
    .orderBy("sortOrder")
    .execute()
  const { checks: common } = await settingsOfProject(db, task.projectUuid)
  return [
    ...own.map(({ approvedByUuid, command, ...item }) => ({
      ...item,
      command: command ?? "",
      approved: approvedByUuid !== null,
    })),
    ...common.map((item) => ({ ...item, criterionUuid: null, approved: true })),
  ]
}

/** The machine that has a task's work and may run people's commands on it, or why there is none. */
export async function benchFor(
  { db, now }: Pick<OperationContext, "db" | "now">,
  taskUuid: string,
  what: "check" | "start" = "check",
): Promise<Bench | string> {
  const run = await db
    .selectFrom("runs as r")
    .leftJoin("runners as n", "n.machineUuid", "r.machineUuid")
    .select(["r.uuid as runUuid", "r.machineUuid", "r.machineName as machine", "n.checks", "n.seenAt"])
    .where("r.taskUuid", "=", taskUuid)
    .where("r.work", "=", "build")
    .where("r.worktree", "is not", null)
    .where("r.machineUuid", "is not", null)
    .orderBy("r.createdAt", "desc")
    .orderBy("r.uuid", "desc")
    .executeTakeFirst()
  if (run === undefined || run.machineUuid === null) return withoutMachine(db, taskUuid, what)
  const { runUuid, machineUuid, machine } = run
  if (run.checks !== 1)
    return `${machine ?? "Its machine"} allows no checks. Run \`chorus runner allow DIR --checks\` there.`
  if (run.seenAt === null || Date.parse(now) - Date.parse(run.seenAt) > AWAY_MS)
    return `${machine ?? "Its machine"} is away.`
  return { runUuid, machineUuid, machine }
}

async function withoutMachine(db: Db, taskUuid: string, what: "check" | "start"): Promise<string> {
  const { shortId, startedAt } = await db
    .selectFrom("tasks")
    .select(["shortId", "startedAt"])
    .where("uuid", "=", taskUuid)
    .executeTakeFirstOrThrow()
  if (startedAt === null) return `Nobody has begun this task, so there is nothing to ${what} yet.`
  if (what === "start") return "No run of Chorus did this work, so no machine can start it."
  return `No run of Chorus did this work, so no machine can check it. Run \`chorus check ${shortId ?? taskUuid}\` where the work lies.`
}

export interface Due {
  readonly bench: Bench
  readonly items: readonly checks.Checkable[]
}

/** What would be run on a task's work now; undefined where nothing can or may. */
export async function checksDue(context: OperationContext, task: Task): Promise<Due | undefined> {
  const items = (await checkableOf(context.db, task)).filter(({ approved }) => approved)
  if (items.length === 0) return undefined
  const bench = await benchFor(context, task.uuid)
  return typeof bench === "string" ? undefined : { bench, items }
}

/**
 * What was handed in has become other work: what was checked of the work before says nothing of it, and is checked as
 * at a hand-in. That goes for what runs just now as well, which began before.
 */
export async function checkAnew(context: OperationContext, task: Task & Pick<TaskRecord, "status">): Promise<void> {
  if (task.status !== "to_verify") return
  const gone = (await presentChecks(context.db, task.uuid)).filter(
    ({ outdated, state }) => outdated || state === "running",
  )
  const due = gone.length === 0 ? undefined : await checksDue(context, task)
  if (due === undefined) return
  const items = due.items.filter((item) =>
    gone.some(({ criterionUuid, command }) => criterionUuid === item.criterionUuid && command === item.command),
  )
  await queueChecks(context, task, { ...due, items }, true, ["queued"])
}

/** Puts checks before the machine; one that waits there already is not put there twice. */
export async function queueChecks(
  context: OperationContext,
  task: Task,
  { bench, items }: Due,
  decides: boolean,
  waitingIn: readonly CheckRecord["state"][] = PENDING,
): Promise<checks.CheckRow[]> {
  const { db, actor, now, newId } = context
  const handIn = await presentHandIn(db, task.uuid)
  const rows: checks.CheckRow[] = []
  for (const { criterionUuid, name, command } of items) {
    const waiting = await db
      .selectFrom("checks")
      .select("uuid")
      .where("taskUuid", "=", task.uuid)
      .where("preview", "=", 0)
      .where("handIn", "=", handIn)
      .where("command", "=", command)
      .where("criterionUuid", criterionUuid === null ? "is" : "=", criterionUuid)
      .where("state", "in", waitingIn)
      .executeTakeFirst()
    if (waiting !== undefined) continue
    const check: CheckRecord = {
      ...NOT_RUN_YET,
      ...bench,
      uuid: newId(),
      taskUuid: task.uuid,
      criterionUuid,
      name,
      command,
      source: "chorus",
      byType: actor.type,
      byUuid: actor.uuid,
      handIn,
      decides: decides ? 1 : 0,
      createdAt: now,
    }
    await db.insertInto("checks").values(check).execute()
    rows.push(await tellCheck(context, check, "created"))
  }
  return rows
}
