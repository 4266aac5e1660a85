import type { checks } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { settingsOfProject } from "../task-work/settings.ts"
import type { TaskRecord } from "../tasks/task-record.ts"
import { newestShown } from "../changes/change-record.ts"
import { runnersAt } from "../landings/place.ts"
import { type CheckRecord, NOT_RUN_YET, PENDING, presentChecks, presentHandIn, tellCheck } from "./check-record.ts"

/** A runner asks every few seconds; one that has not is away. */
export const AWAY_MS = 30_000

type Reading = Pick<OperationContext, "db" | "actor" | "now">
type Task = Pick<TaskRecord, "uuid" | "projectUuid">

export interface Bench {
  /** The run in whose worktree the work lies; none where an agent did it that a person started. */
  readonly runUuid: string | null
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
  context: Reading,
  task: Task,
  what: "check" | "start" = "check",
): Promise<Bench | string> {
  const run = await context.db
    .selectFrom("runs as r")
    .leftJoin("runners as n", "n.machineUuid", "r.machineUuid")
    .select(["r.uuid as runUuid", "r.machineUuid", "r.machineName as machine", "n.checks", "n.seenAt"])
    .where("r.taskUuid", "=", task.uuid)
    .where("r.work", "=", "build")
    .where("r.worktree", "is not", null)
    .where("r.machineUuid", "is not", null)
    .orderBy("r.createdAt", "desc")
    .orderBy("r.uuid", "desc")
    .executeTakeFirst()
  if (run === undefined || run.machineUuid === null) return withoutRun(context, task, what)
  const { runUuid, machineUuid, machine } = run
  return hindranceOn(context, run) ?? { runUuid, machineUuid, machine }
}

function hindranceOn(
  { now }: Pick<Reading, "now">,
  { machine, checks: allowed, seenAt }: { machine: string | null; checks: number | null; seenAt: string | null },
): string | undefined {
  const name = machine ?? "Its machine"
  if (allowed !== 1) return `${name} allows no checks. Run \`chorus runner allow DIR --checks\` there.`
  return seenAt === null || Date.parse(now) - Date.parse(seenAt) > AWAY_MS ? `${name} is away.` : undefined
}

/**
 * What an agent did that a person started lies in a checkout: the runner of that machine checks it, where it may work
 * there, as soon as it was shown.
 */
async function withoutRun(context: Reading, task: Task, what: "check" | "start"): Promise<Bench | string> {
  const { db } = context
  const { shortId, startedAt, ...holders } = await db
    .selectFrom("tasks")
    .select(["shortId", "startedAt", "assigneeUuid", "submittedByUuid"])
    .where("uuid", "=", task.uuid)
    .executeTakeFirstOrThrow()
  if (startedAt === null) return `Nobody has begun this task, so there is nothing to ${what} yet.`
  if (what === "start") return "No run of Chorus did this work, so no machine can start it."
  const byHand = `Run \`chorus check ${shortId ?? task.uuid}\` where the work lies.`
  const version = await newestShown(db, task.uuid)
  if (version === undefined || version.handIn < (await presentHandIn(db, task.uuid)))
    return `What was done has not been shown yet, so no machine can check it. ${byHand}`
  const found = await runnersAt(context, task, version)
  const doers: unknown[] = [version.createdByUuid, holders.assigneeUuid, holders.submittedByUuid]
  const [runner] = found.filter(({ agentUuid }) => !doers.includes(agentUuid))
  if (runner === undefined)
    return found.length === 0
      ? `No runner may work where this lies, so no machine can check it. ${byHand}`
      : `The machine's runner has the key of the agent that did the work, so it cannot check it. ${byHand}`
  const { machineUuid, machineName: machine } = runner
  return hindranceOn(context, { ...runner, machine }) ?? { runUuid: null, machineUuid, machine }
}

export interface Due {
  readonly bench: Bench
  readonly items: readonly checks.Checkable[]
}

/** What would be run on a task's work now; undefined where nothing can or may. */
export async function checksDue(context: OperationContext, task: Task): Promise<Due | undefined> {
  const items = (await checkableOf(context.db, task)).filter(({ approved }) => approved)
  if (items.length === 0) return undefined
  const bench = await benchFor(context, task)
  return typeof bench === "string" ? undefined : { bench, items }
}

/**
 * What was handed in has become other work: what was checked of the work before says nothing of it, and is checked as
 * at a hand-in. That goes for what runs just now as well, which began before. What an agent did that a person started
 * is shown after it was handed in; only then can it be checked.
 */
export async function checkAnew(context: OperationContext, task: Task & Pick<TaskRecord, "status">): Promise<void> {
  if (task.status !== "to_verify") return
  const present = await presentChecks(context.db, task.uuid)
  const gone = present.filter(({ outdated, state }) => outdated || state === "running")
  const isDone = present.some(({ decides }) => decides === 1)
  const due = await checksDue(context, task)
  if (due === undefined) return
  const isNew = due.bench.runUuid === null && !isDone
  const items = due.items.filter(
    (item) =>
      isNew ||
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
