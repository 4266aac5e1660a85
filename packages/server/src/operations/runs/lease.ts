import { type runs as shapes, runs } from "@chorus/contracts"
import { runTime } from "@chorus/core"
import { lock } from "@chorus/store"
import { forbidden, operation, type OperationContext } from "../../operation.ts"
import { addKey, endKey } from "../agents/agents.ts"
import { loseChecks } from "../checks/lease-check.ts"
import { machineOf } from "../machines/machine-lane.ts"
import { type SessionRecord, touchOwnSession } from "../sessions/session-record.ts"
import { findOrOpen } from "../sessions/sessions.ts"
import { autopilotRun } from "./queue.ts"
import { holdUp, obstacleOn } from "./waits.ts"
import { closeCalls } from "./run-entries.ts"
import { changeRun } from "./run-record.ts"
import { tellEnded, tellReturned } from "./run-notice.ts"
import { findRun, OF_PROJECT, type RunRecord, selectRuns, type ShownRun, wordsOf } from "./run-select.ts"
import { beginWork, workerFor } from "./run-work.ts"
import { dropOrders } from "./orders.ts"
import { noteRunner } from "./runners.ts"
import { verdictOn } from "./spend.ts"

/** How long a runner may be silent before its runs count as lost. */
export const LEASE_MS = 60_000
const KEY_LIFE_MS = 7 * 86_400_000
const SILENT = "Its machine has been silent for too long."

export const leaseRun = operation(runs.leaseRun, async (context, input) => {
  const { actor } = context
  if (actor.type !== "agent") throw forbidden("Only a runner with an agent's key runs agents.", "Use `chorus runner`.")
  const machineUuid = await machineOf(context, actor.uuid, input.machine)
  await noteRunner(context, machineUuid, input)
  // Of several that ask at once, each takes the next; on PostgreSQL too.
  await lock(context, `runs:${actor.workspaceUuid}`)
  await loseSilent(context)
  if (input.busy >= input.slots) return { run: null }
  const fits = (run: Parameters<typeof obstacleOn>[1]) => obstacleOn(input, run) === undefined
  const run = (await nextInQueue(context)) ?? ((await autopilotRun(context, fits)) && (await nextInQueue(context)))
  return { run: run === undefined ? null : await take(context, run, machineUuid, input.machine) }

  async function nextInQueue({ db, actor }: OperationContext): Promise<ShownRun | undefined> {
    let waiting = selectRuns(db)
      .where("r.workspaceUuid", "=", actor.workspaceUuid)
      .where("r.state", "=", "queued")
      // One that ran before goes on where its worktree is.
      .where(({ or, eb }) => or([eb("r.machineUuid", "is", null), eb("r.machineUuid", "=", machineUuid)]))
      .where(({ or, eb }) => or([eb("r.machineName", "is", null), eb("r.machineName", "=", input.machine)]))
    if (actor.projectUuids !== null) waiting = waiting.where(OF_PROJECT, "in", [...actor.projectUuids])
    const queued = await waiting.orderBy("r.createdAt").orderBy("r.rank").orderBy("r.uuid").execute()
    // What this machine would refuse stays in the queue, which says why, and keeps nobody's task.
    for (const run of queued) if (fits(run) && (await holdUp(context, run)) === undefined) return run
    return undefined
  }
})

export const sweepRuns = operation(runs.sweepRuns, async (context) => {
  const lost = await loseSilent(context)
  await tellReturned(context)
  return { lost }
})

/** Gives the run to the caller, unless its task cannot be started; then it has failed, and says why. */
async function take(
  context: OperationContext,
  run: ShownRun,
  machineUuid: string,
  machineName: string,
): Promise<shapes.LeasedRun | null> {
  const { actor, now, newId } = context
  const session = await sessionOf(context, run)
  const { words, obstacle, goesOn } = await beginWork(context, run, session)
  const taken = { machineUuid, machineName, agentUuid: actor.uuid, sessionUuid: session.uuid, stateSince: now }
  if (obstacle !== undefined) {
    await changeRun(context, run, { ...taken, state: "failed", reason: `Not started: ${obstacle}`, endedAt: now })
    await tellEnded(context, await findRun(context, run.uuid))
    return null
  }
  const { uuid: keyUuid, key } = await addKey(context, {
    agentUuid: await workerFor(context, run.work),
    name: `run ${run.uuid}`,
    lifeMs: KEY_LIFE_MS,
  })
  const lease = newId()
  const leased = {
    lease,
    leaseUntil: leaseEnd(now),
    keyUuid,
    startedAt: run.startedAt ?? now,
    words: null,
    heardAt: now,
    stoppedFor: null,
    stopReason: null,
    warning: null,
    lastCall: null,
    stillTurns: 0,
  }
  if ((await changeRun(context, run, { ...taken, ...leased, state: "starting", reason: null })) === undefined)
    return null
  const { left } = await verdictOn(context, run)
  const said = wordsOf(run)
  const parts = goesOn && run.sessionId !== null && said.length > 0 ? said : [words, ...said]
  return {
    uuid: run.uuid,
    lease,
    work: run.work,
    taskUuid: run.taskUuid,
    taskTitle: run.taskTitle,
    projectUuid: run.projectUuid,
    projectName: run.projectName,
    program: run.program,
    command: run.command,
    model: run.model,
    mode: run.mode,
    inPlace: run.inPlace === 1,
    folder: run.folder,
    prompt: parts.join("\n\n"),
    parts,
    sessionId: run.sessionId,
    key,
    ...(Object.keys(left).length === 0 ? {} : { limits: left }),
    ...(run.taskUuid === null ? {} : { builtOn: await landedBefore(context, run.taskUuid) }),
    ...(run.forkOf === null ? {} : { from: checkpointOf(run.forkOf, run.forkTurn) }),
  }
}

/** As what the work that a task depends on stands in its branches. */
async function landedBefore({ db }: OperationContext, taskUuid: string): Promise<shapes.LeasedRun["builtOn"]> {
  const landed = await db
    .selectFrom("landings as l")
    .innerJoin("taskEdges as e", "e.dependsOnUuid", "l.taskUuid")
    .select(["l.taskUuid", "l.commit", "l.branch"])
    .where("e.taskUuid", "=", taskUuid)
    .where("l.act", "=", "land")
    .where("l.state", "=", "landed")
    .orderBy("l.endedAt")
    .execute()
  const newest = new Map(landed.map((landing) => [landing.taskUuid, landing]))
  return [...newest.values()].flatMap(({ commit, branch }) => (commit === null ? [] : [{ commit, branch }]))
}

/** Where a runner keeps the tree of a run: at the end of a turn, or of all. */
function checkpointOf(runUuid: string, turn: number | null): string {
  return `refs/chorus/runs/${runUuid}/${turn === null ? "end" : `turn/${turn}`}`
}

async function sessionOf(context: OperationContext, run: RunRecord): Promise<SessionRecord> {
  const name = `${run.program === "command" ? "agent" : run.program} run`
  const externalId = `run:${run.uuid}`
  const { session } = await findOrOpen(context, { name, source: "run", externalId })
  return touchOwnSession(context, session.uuid)
}

export function leaseEnd(now: string): string {
  return new Date(Date.parse(now) + LEASE_MS).toISOString()
}

/** Runs whose runner has not been heard of are lost; what they changed is still on their machine. */
async function loseSilent(context: OperationContext): Promise<number> {
  const { db, actor, now } = context
  const silent = await db
    .selectFrom("runs")
    .select("uuid")
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("state", "in", ["starting", "running", "waiting"])
    .where("leaseUntil", "<", now)
    .execute()
  for (const { uuid } of silent) {
    const run = await findRun(context, uuid)
    if (run.keyUuid !== null) await endKey(context, run.keyUuid)
    await dropOrders(context, uuid)
    await changeRun(context, run, {
      // Whether it was at work in silence, nobody knows.
      ...runTime(run, run.leaseUntil ?? now),
      state: "lost",
      reason: SILENT,
      stateSince: now,
      endedAt: now,
      keyUuid: null,
      leaseUntil: null,
      revision: await closeCalls(context, run),
    })
    await tellEnded(context, await findRun(context, uuid))
  }
  await loseChecks(context)
  return silent.length
}
