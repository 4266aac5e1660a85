import { type runPolicy, runs } from "@chorus/contracts"
import { runTime } from "@chorus/core"
import { namesOf, notFound, type OperationContext } from "../../operation.ts"
import { findRun, type RunRecord, type ShownRun } from "./run-select.ts"
import { LIVE, whyTheyWait } from "./waits.ts"

type Reading = Pick<OperationContext, "db" | "actor" | "now">

export async function runRows(context: Reading, records: readonly ShownRun[]): Promise<runs.RunRow[]> {
  const nameOf = await namesOf(
    context.db,
    records.flatMap(({ agentUuid, startedByUuid }) => [agentUuid, startedByUuid]),
  )
  const waits = await whyTheyWait(
    context,
    records.filter(({ state }) => state === "queued"),
  )
  return records.map((run) => ({
    uuid: run.uuid,
    projectUuid: run.projectUuid,
    work: run.work,
    taskUuid: run.taskUuid,
    ideaUuid: run.ideaUuid,
    taskTitle: run.taskTitle,
    taskShortId: run.taskShortId,
    program: run.program,
    command: run.command,
    model: run.model,
    mode: run.mode,
    inPlace: run.inPlace === 1,
    state: run.state,
    reason: waits.get(run.uuid) ?? run.reason,
    stoppedFor: run.stoppedFor,
    warning: run.warning,
    budget: JSON.parse(run.budget) as runPolicy.RunBudget,
    forkOf: run.forkOf,
    forkTurn: run.forkTurn,
    stateSince: run.stateSince,
    machine: run.machineName,
    agent: nameOf(run.agentUuid === null ? null : "agent", run.agentUuid),
    startedBy: nameOf(run.startedByType, run.startedByUuid),
    sessionUuid: run.sessionUuid,
    sessionId: run.sessionId,
    branch: run.branch,
    worktree: run.worktree,
    baseCommit: run.baseCommit,
    turns: run.turns,
    workMs: run.workMs,
    waitMs: run.waitMs,
    usage: runs.RunUsage.parse(JSON.parse(run.usage)),
    revision: run.revision,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
  }))
}

export async function rowOf(context: Reading, runUuid: string): Promise<runs.RunRow> {
  const [row] = await runRows(context, [await findRun(context, runUuid)])
  if (row === undefined) throw notFound("run", runUuid)
  return row
}

/** Changes a run that still stands where `run` says, and tells its readers; undefined where somebody was faster. */
export async function changeRun(
  context: OperationContext,
  run: RunRecord,
  changes: Partial<Omit<RunRecord, "uuid">>,
): Promise<runs.RunRow | undefined> {
  const moves = changes.state !== undefined && changes.state !== run.state
  const changed = await context.db
    .updateTable("runs")
    .set({ ...(moves ? runTime(run, context.now) : {}), ...changes })
    .where("uuid", "=", run.uuid)
    .where("state", "=", run.state)
    .where("lease", run.lease === null ? "is" : "=", run.lease)
    .returning("uuid")
    .executeTakeFirst()
  if (changed === undefined) return undefined
  const {
    uuid,
    projectUuid,
    taskUuid: _task,
    taskTitle: _title,
    taskShortId: _short,
    ...patch
  } = await rowOf(context, run.uuid)
  context.emit({
    kind: "run.changed",
    entityType: "run",
    entityUuid: uuid,
    projectUuid,
    action: "updated",
    patch,
  })
  return rowOf(context, run.uuid)
}

/** Whether a program's session is that of a run which has not ended; a person may go on with it by themselves after that. */
export async function isOfRun({ db, actor }: OperationContext, sessionId: string): Promise<boolean> {
  const run = await db
    .selectFrom("runs")
    .select("uuid")
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("sessionId", "=", sessionId)
    .where("state", "in", LIVE)
    .executeTakeFirst()
  return run !== undefined
}
