import { ChorusError, type runPolicy, runs } from "@chorus/contracts"
import { holds, isEnded, isFinished } from "@chorus/core"
import { lock } from "@chorus/store"
import { sql } from "kysely"
import { offsetOf, operation, type OperationContext, pageOf } from "../../operation.ts"
import { takeNoticesBack, takeRunNoticesBack } from "../attentions/notices.ts"
import { findIdea } from "../ideas/idea-record.ts"
import { returnedText } from "../hooks/brief-text.ts"
import { returnedOf } from "../tasks/hand-in.ts"
import { findTask, holderOf, type TaskRecord } from "../tasks/task-record.ts"
import { sendToRunner, takeBack, waitingOrders } from "./orders.ts"
import { assertMayStart, assertWithin } from "./policy.ts"
import { assertFree, queueRun } from "./queue.ts"
import { presentRunners } from "./runners.ts"
import { LIVE, obstacleOn } from "./waits.ts"
import { addNote } from "./run-entries.ts"
import { changeRun, rowOf, runRows } from "./run-record.ts"
import { findRun, OF_PROJECT, type RunRecord, selectRuns, type ShownRun, wordsOf } from "./run-select.ts"
import { overBudget, verdictOn } from "./spend.ts"

const GO_ON = "Go on where you were."

export const startRun = operation(runs.startRun, async (context, input) => {
  const { taskUuid, ideaUuid, work = taskUuid === undefined ? "plan" : "build" } = input
  const projectUuid =
    taskUuid === undefined ? (await findIdea(context.db, ideaUuid ?? "")).projectUuid : await taskFor(work)
  await assertMayStart(context, projectUuid)
  await assertFree(context, { work, taskUuid, ideaUuid })
  const words = input.words === undefined ? undefined : [input.words]
  return queueRun(context, projectUuid, { ...input, work, words })

  async function taskFor(kind: runs.RunWork): Promise<string> {
    const task = await findTask(context.db, taskUuid ?? "")
    if (kind === "plan")
      throw new ChorusError("invalid_input", "An idea is planned, not a task.", { next: "Name an idea instead." })
    if (kind === "build" && (isFinished(task.status) || task.status === "to_verify")) throw finished(task)
    return task.projectUuid
  }
})

export const listRuns = operation(runs.listRuns, async (context, input) => {
  const { db, actor } = context
  let query = selectRuns(db).where("r.workspaceUuid", "=", actor.workspaceUuid)
  if (actor.projectUuids !== null) query = query.where(OF_PROJECT, "in", [...actor.projectUuids])
  if (input.projectUuid !== undefined) query = query.where(OF_PROJECT, "=", input.projectUuid)
  if (input.taskUuid !== undefined) query = query.where("r.taskUuid", "=", input.taskUuid)
  if (input.ideaUuid !== undefined) query = query.where(ofIdea(input.ideaUuid))
  if (input.live) query = query.where("r.state", "in", LIVE)
  const records = await query
    // However many have ended since, what is at work or waits is on the first page.
    .orderBy(({ eb }) => eb.case().when("r.state", "in", LIVE).then(0).else(1).end())
    .orderBy("r.createdAt", "desc")
    .orderBy("r.rank")
    .orderBy("r.uuid")
    .offset(offsetOf(input))
    .limit(input.pageSize)
    .execute()
  const { total } = await query
    .clearSelect()
    .select(sql<number>`count(*)`.as("total"))
    .executeTakeFirstOrThrow()
  return { runs: await runRows(context, records), ...pageOf(input, records.length, total) }
})

/** Runs on an idea itself, and those on the tasks of plans that it gave rise to. */
const ofIdea = (ideaUuid: string) =>
  sql<boolean>`(r."ideaUuid" = ${ideaUuid} or t."proposalUuid" in (
    select pi."proposalUuid" from "proposalInputs" pi where pi."ideaUuid" = ${ideaUuid}))`

export const getRun = operation(runs.getRun, (context, { runUuid }) => rowOf(context, runUuid))

export const sendToRun = operation(runs.sendToRun, async (context, { runUuid, text }) => {
  // An agent steers where it could have started the run.
  if (context.actor.type === "agent") await assertMayStart(context, (await findRun(context, runUuid)).projectUuid)
  return sayTo(context, runUuid, text)
})

export const interruptRun = operation(runs.interruptRun, async (context, { runUuid }) => {
  const run = await findRun(context, runUuid)
  if (run.state !== "running" && run.state !== "waiting") throw wrongState(run, "interrupted")
  const order = { order: "interrupt", runUuid, by: context.actor.name } as const
  await sendToRunner(context, order, { kind: "order", title: run.taskTitle, tag: `run:${runUuid}` })
  return rowOf(context, runUuid)
})

export const stopRun = operation(runs.stopRun, async (context, { runUuid }) => {
  await stop(context, await findRun(context, runUuid))
  return rowOf(context, runUuid)
})

export const stopRuns = operation(runs.stopRuns, async (context, { projectUuid }) => {
  const { db, actor } = context
  let query = selectRuns(db).where("r.workspaceUuid", "=", actor.workspaceUuid).where("r.state", "in", LIVE)
  if (actor.projectUuids !== null) query = query.where(OF_PROJECT, "in", [...actor.projectUuids])
  if (projectUuid !== undefined) query = query.where(OF_PROJECT, "=", projectUuid)
  const live = await query.execute()
  for (const run of live) await stop(context, run)
  return { stopped: live.length }
})

export const resumeRun = operation(runs.resumeRun, async (context, { runUuid, text, budget }) => {
  const run = await findRun(context, runUuid)
  if (!isEnded(run.state)) throw wrongState(run, "taken up again")
  return takeUpAgain(context, run, await wordsFor(context, run, text), budget)
})

export const changeRunChoice = operation(runs.changeRun, async (context, { runUuid, model, mode, budget }) => {
  const run = await findRun(context, runUuid)
  await assertWithin(context, run.projectUuid, budget)
  const isLive = !isEnded(run.state) && run.state !== "queued"
  if (isLive && (model !== undefined || mode !== undefined)) {
    if (mode !== undefined) await assertAllowed(context, { ...run, mode })
    const by = context.actor.name
    const set = { ...(model === undefined ? {} : { model }), ...(mode === undefined ? {} : { mode }) }
    const about = { kind: "order", title: run.taskTitle, tag: `run:${runUuid}` } as const
    await sendToRunner(context, { order: "set", runUuid, by, ...set }, about)
  }
  const changes = {
    model: model ?? run.model,
    mode: mode ?? run.mode,
    ...(budget === undefined ? {} : { budget: JSON.stringify(budget) }),
  }
  return changed(await changeRun(context, run, changes), run)
})

/** Its machine would refuse it where whoever chose hears nothing of it. */
async function assertAllowed(context: OperationContext, run: ShownRun): Promise<void> {
  const machine = (await presentRunners(context)).find((one) => one.machine === run.machineName)
  const obstacle = machine === undefined ? undefined : obstacleOn(machine, run)
  if (obstacle === undefined) return
  throw new ChorusError("not_allowed_here", obstacle, { status: 403, next: "It goes on as it was." })
}

/** A new conversation from a tree that is kept on the machine of the first. */
export const forkRun = operation(runs.forkRun, async (context, { runUuid, turn, words }) => {
  const run = await findRun(context, runUuid)
  if (turn > run.turns || run.machineName === null)
    throw new ChorusError(
      "no_checkpoint",
      `This run has ended ${run.turns === 1 ? "1 turn" : `${run.turns} turns`}; there is no turn ${turn}.`,
      {
        status: 409,
        next: "Name a turn that it has ended.",
        details: { runUuid, turns: run.turns },
      },
    )
  const { work, program, machineName: machine, projectUuid } = run
  const [taskUuid, ideaUuid] = [run.taskUuid ?? undefined, run.ideaUuid ?? undefined]
  await assertMayStart(context, projectUuid)
  await assertFree(context, { work, taskUuid, ideaUuid })
  const same = {
    ...(run.command === null ? {} : { command: run.command }),
    ...(run.model === null ? {} : { model: run.model }),
    ...(run.mode === null ? {} : { mode: run.mode }),
    ...(run.folder === null ? {} : { folder: run.folder }),
    budget: JSON.parse(run.budget) as runPolicy.RunBudget,
  }
  const begun = `Your worktree begins where an earlier run stood after its turn ${turn}.`
  return queueRun(context, projectUuid, {
    work,
    taskUuid,
    ideaUuid,
    program,
    machine,
    ...same,
    words: [begun, ...(words === undefined ? [] : [words])],
    fork: {
      of: runUuid,
      turn,
    },
  })
})

/**
 * An agent that asked about its idea, or proposed, while it planned goes on as soon as it is answered, where whoever
 * answers may start it.
 */
export async function tellPlanner(
  context: OperationContext,
  ideaUuid: string,
  { askedAt, words }: { readonly askedAt: string; readonly words: string },
): Promise<void> {
  const run = await selectRuns(context.db)
    .where("r.ideaUuid", "=", ideaUuid)
    .where("r.work", "=", "plan")
    .where("r.state", "in", ["running", "waiting", "finished"])
    .where("r.startedAt", "<=", askedAt)
    .orderBy("r.createdAt", "desc")
    .executeTakeFirst()
  if (run === undefined || (run.endedAt !== null && run.endedAt < askedAt)) return
  try {
    await sayTo(context, run.uuid, words)
  } catch (error) {
    // The answer counts all the same; the run waits for somebody who may take it up, or for a larger budget.
    if (!(error instanceof ChorusError)) throw error
  }
}

/** Either before its end is reported, which then finds the words waiting, or after it. */
async function sayTo(context: OperationContext, runUuid: string, text: string): Promise<runs.RunRow> {
  await lock(context, lockOf(runUuid))
  const run = await findRun(context, runUuid)
  if (isEnded(run.state)) return takeUpAgain(context, run, [text])
  if (run.state === "queued")
    return changed(await changeRun(context, run, { words: JSON.stringify([...wordsOf(run), text]) }), run)
  const order = { order: "send", runUuid: run.uuid, text, by: context.actor.name } as const
  await sendToRunner(context, order, { kind: "order", title: run.taskTitle, tag: `run:${run.uuid}` })
  return rowOf(context, run.uuid)
}

async function stop(context: OperationContext, run: ShownRun): Promise<void> {
  const { now } = context
  if (isEnded(run.state)) return
  if (run.state === "queued")
    return void changed(await changeRun(context, run, { state: "stopped", stateSince: now, endedAt: now }), run)
  const order = { order: "stop", runUuid: run.uuid, by: context.actor.name } as const
  await sendToRunner(context, order, { kind: "order", title: run.taskTitle, tag: `run:${run.uuid}` })
}

/** Who goes on with work that was sent back is told why, before anything else; who begins reads it in the brief. */
async function wordsFor({ db }: OperationContext, run: ShownRun, text: string | undefined): Promise<string[]> {
  const task = run.taskUuid === null || run.sessionId === null ? undefined : await findTask(db, run.taskUuid)
  const why = task === undefined ? null : await returnedOf(db, task)
  if (why === null) return [text ?? GO_ON]
  return [returnedText(why), text ?? "Mend this, and hand it in again."]
}

/**
 * Gives what Chorus itself sent back to the run that did it, unless that has no means left, somebody stopped it, or the
 * work is in other hands by now. Whether it goes on.
 */
export async function takeUpReturned(context: OperationContext, runUuid: string): Promise<boolean> {
  const run = await findRun(context, runUuid)
  const { spent } = await verdictOn(context, run)
  if (run.state !== "finished" || spent !== undefined || run.taskUuid === null) return false
  if (!(await isTheirs(context, run, await findTask(context.db, run.taskUuid)))) return false
  await takeUpAgain(context, run, await wordsFor(context, run, undefined))
  return true
}

export function lockOf(runUuid: string): string {
  return `run:${runUuid}`
}

/**
 * What was said while a run was ending by itself has reached no agent: the run goes on with it, as it would have if the
 * words had come a moment later. Whether there was anything.
 */
export async function goOnWithLateWords(context: OperationContext, run: ShownRun): Promise<boolean> {
  const late = await lateWords(context, run.uuid)
  if (run.state !== "finished" || late.length === 0) return false
  const { spent } = await verdictOn(context, run)
  if (spent !== undefined) return false
  await takeBack(context, late)
  await requeue(context, run, { words: late.map(({ text }) => text) })
  return true
}

async function lateWords(context: OperationContext, runUuid: string) {
  return (await waitingOrders(context, runUuid)).flatMap(({ uuid, order }) =>
    order.order === "send" ? [{ uuid, text: order.text }] : [],
  )
}

async function takeUpAgain(
  context: OperationContext,
  run: ShownRun,
  words: readonly string[],
  budget?: runPolicy.RunBudget,
): Promise<runs.RunRow> {
  await assertMayStart(context, run.projectUuid)
  await assertWithin(context, run.projectUuid, budget)
  await assertTheirs(context, run)
  const given = budget === undefined ? run.budget : JSON.stringify(budget)
  const { spent } = await verdictOn(context, { ...run, budget: given })
  if (spent !== undefined) throw overBudget(spent, run.uuid)
  return requeue(context, run, { words, budget: given })
}

async function requeue(
  context: OperationContext,
  run: ShownRun,
  { words, ...given }: { readonly words: readonly string[]; readonly budget?: string },
): Promise<runs.RunRow> {
  const again = {
    state: "queued" as const,
    reason: null,
    stoppedFor: null,
    stopReason: null,
    warning: null,
    stateSince: context.now,
    endedAt: null,
    words: JSON.stringify(words),
    ...given,
    revision: await addNote(context, run, `${context.actor.name} took it up again.`),
  }
  if (run.taskUuid !== null) await takeNoticesBack(context, run.taskUuid)
  await takeRunNoticesBack(context, run)
  return changed(await changeRun(context, run, again), run)
}

/** Words for work that is over, or in other hands by now, are refused while whoever said them can hear it. */
async function assertTheirs(context: OperationContext, run: ShownRun): Promise<void> {
  const { work, taskUuid } = run
  if (work !== "build" || taskUuid === null) return
  const task = await findTask(context.db, taskUuid)
  if (isFinished(task.status)) throw finished(task)
  if (await isTheirs(context, run, task)) return
  const holder = (await holderOf(context.db, task))?.name ?? "Somebody else"
  throw new ChorusError("already_claimed", `${holder} holds "${task.title}" by now.`, {
    status: 409,
    next: "Have it given back first, or say it to whoever holds it.",
    details: { taskUuid, status: task.status },
  })
}

/** Whether the agent of a run holds the task, or may have it. */
async function isTheirs({ db }: OperationContext, { agentUuid }: ShownRun, task: TaskRecord): Promise<boolean> {
  if (task.status === "open" || agentUuid === null) return true
  const agent = await db
    .selectFrom("agents")
    .select(["uuid", "ownerUuid"])
    .where("uuid", "=", agentUuid)
    .executeTakeFirst()
  return agent === undefined || holds({ type: "agent", ...agent }, task)
}

function finished(task: TaskRecord): ChorusError {
  return new ChorusError("task_finished", `"${task.title}" is ${task.status.replace("_", " ")}.`, {
    status: 409,
    next: "Start another task, or have this one reopened.",
  })
}

function changed(row: runs.RunRow | undefined, run: RunRecord): runs.RunRow {
  if (row !== undefined) return row
  throw new ChorusError("changed_meanwhile", "This run has changed in the meantime.", {
    status: 409,
    next: "Look at it again, then decide.",
    details: { runUuid: run.uuid },
  })
}

function wrongState(run: RunRecord, what: string): ChorusError {
  return new ChorusError("wrong_run_state", `A run that is ${run.state} cannot be ${what}.`, {
    status: 409,
    next: isEnded(run.state) ? "Resume it first." : "Stop it first, or write to it.",
    details: { runUuid: run.uuid, state: run.state },
  })
}
