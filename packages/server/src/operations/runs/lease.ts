import { type runs as shapes, runs } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { forbidden, offsetOf, operation, type OperationContext, pageOf } from "../../operation.ts"
import { addKey, endKey } from "../agents/agents.ts"
import { takeUp } from "../hooks/take-up.ts"
import { machineOf } from "../machines/machine-lane.ts"
import { type SessionRecord, touchOwnSession } from "../sessions/session-record.ts"
import { findOrOpen } from "../sessions/sessions.ts"
import { findTask } from "../tasks/task-record.ts"
import { changeRun, findRun, type RunRecord, selectRuns } from "./run-record.ts"

/** How long a runner may be silent before its runs count as lost. */
const LEASE_MS = 60_000
const KEY_LIFE_MS = 7 * 86_400_000
const SILENT = "Its machine has been silent for too long."

type Runner = Parameters<Parameters<typeof operation<typeof runs.leaseRun>>[1]>[1]

export const leaseRun = operation(runs.leaseRun, async (context, input) => {
  const { db, actor } = context
  if (actor.type !== "agent") throw forbidden("Only a runner with an agent's key runs agents.", "Use `chorus runner`.")
  const machineUuid = await machineOf(context, actor.uuid, input.machine)
  await noteRunner(context, machineUuid, input)
  // Of several that ask at once, each takes the next; on PostgreSQL too.
  await lock(context, `runs:${actor.workspaceUuid}`)
  await loseSilent(context)
  if (input.busy >= input.slots) return { run: null }
  const able = input.programs.filter(({ missing }) => missing === null).map(({ program }) => program)
  if (able.length === 0) return { run: null }
  let waiting = selectRuns(db)
    .where("r.workspaceUuid", "=", actor.workspaceUuid)
    .where("r.state", "=", "queued")
    .where("r.program", "in", able)
    // One that ran before goes on where its worktree is.
    .where(({ or, eb }) => or([eb("r.machineUuid", "is", null), eb("r.machineUuid", "=", machineUuid)]))
    .where(({ or, eb }) => or([eb("r.machineName", "is", null), eb("r.machineName", "=", input.machine)]))
  if (actor.projectUuids !== null) waiting = waiting.where("t.projectUuid", "in", [...actor.projectUuids, ""])
  const run = await waiting.orderBy("r.createdAt").orderBy("r.uuid").limit(1).executeTakeFirst()
  return { run: run === undefined ? null : await take(context, run, machineUuid, input.machine) }
})

export const sweepRuns = operation(runs.sweepRuns, async (context) => ({ lost: await loseSilent(context) }))

export const listRunners = operation(runs.listRunners, async ({ db, actor }, page) => {
  const records = await selectRunners({ db, actor }).orderBy("n.seenAt", "desc").execute()
  const shown = records.slice(offsetOf(page), offsetOf(page) + page.pageSize)
  return { runners: shown.map(runnerRow), ...pageOf(page, shown.length, records.length) }
})

/** Gives the run to the caller, unless its task cannot be started; then it has failed, and says why. */
async function take(
  context: OperationContext,
  run: RunRecord,
  machineUuid: string,
  machineName: string,
): Promise<shapes.LeasedRun | null> {
  const { db, actor, now, newId } = context
  const task = await findTask(db, run.taskUuid)
  const session = await sessionOf(context, run)
  const goesOn = run.startedAt !== null && task.status === "in_progress" && task.assigneeUuid === actor.uuid
  const { begun, words, obstacle } = await takeUp(context, task, session)
  const taken = { machineUuid, machineName, agentUuid: actor.uuid, sessionUuid: session.uuid, stateSince: now }
  if (!begun) {
    await changeRun(context, run, { ...taken, state: "failed", reason: `Not started: ${obstacle ?? ""}`, endedAt: now })
    return null
  }
  const { uuid: keyUuid, key } = await addKey(context, {
    agentUuid: actor.uuid,
    name: `run ${run.uuid}`,
    lifeMs: KEY_LIFE_MS,
  })
  const lease = newId()
  const leased = { lease, leaseUntil: leaseEnd(now), keyUuid, startedAt: run.startedAt ?? now, words: null }
  if ((await changeRun(context, run, { ...taken, ...leased, state: "starting", reason: null })) === undefined)
    return null
  const { projectUuid } = task
  const project = await db
    .selectFrom("projects")
    .select("name")
    .where("uuid", "=", projectUuid)
    .executeTakeFirstOrThrow()
  return {
    uuid: run.uuid,
    lease,
    taskUuid: task.uuid,
    taskTitle: task.title,
    projectUuid,
    projectName: project.name,
    program: run.program,
    command: run.command,
    model: run.model,
    mode: run.mode,
    inPlace: run.inPlace === 1,
    folder: run.folder,
    prompt: goesOn && run.sessionId !== null ? (run.words ?? words) : [words, run.words ?? ""].join("\n\n").trim(),
    sessionId: run.sessionId,
    key,
  }
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
    await changeRun(context, run, {
      state: "lost",
      reason: SILENT,
      stateSince: now,
      endedAt: now,
      keyUuid: null,
      leaseUntil: null,
    })
  }
  return silent.length
}

async function noteRunner(context: OperationContext, machineUuid: string, input: Runner): Promise<void> {
  const { db, actor, now, emit } = context
  const told = {
    programs: JSON.stringify(input.programs),
    folders: JSON.stringify(input.folders),
    slots: input.slots,
    busy: input.busy,
  }
  const before = await db.selectFrom("runners").selectAll().where("machineUuid", "=", machineUuid).executeTakeFirst()
  await db
    .insertInto("runners")
    .values({ machineUuid, ...told, seenAt: now })
    .onConflict((conflict) => conflict.column("machineUuid").doUpdateSet({ ...told, seenAt: now }))
    .execute()
  const same =
    before?.programs === told.programs &&
    before.folders === told.folders &&
    before.slots === told.slots &&
    before.busy === told.busy
  if (same) return
  const record = await selectRunners({ db, actor }).where("n.machineUuid", "=", machineUuid).executeTakeFirstOrThrow()
  emit({
    kind: "runner.reported",
    entityType: "runner",
    entityUuid: machineUuid,
    projectUuid: null,
    action: before === undefined ? "created" : "updated",
    patch: runnerRow(record),
  })
}

function selectRunners({ db, actor }: Pick<OperationContext, "db" | "actor">) {
  return db
    .selectFrom("runners as n")
    .innerJoin("machines as m", "m.uuid", "n.machineUuid")
    .innerJoin("agents as a", "a.uuid", "m.agentUuid")
    .selectAll("n")
    .select(["m.name as machine", "a.uuid as agentUuid", "a.name as agentName"])
    .where("a.workspaceUuid", "=", actor.workspaceUuid)
}

type RunnerRecord = Awaited<ReturnType<ReturnType<typeof selectRunners>["execute"]>>[number]

function runnerRow(record: RunnerRecord): shapes.RunnerRow {
  return {
    uuid: record.machineUuid,
    machine: record.machine,
    agent: { type: "agent", uuid: record.agentUuid, name: record.agentName },
    programs: JSON.parse(record.programs) as shapes.RunnerProgram[],
    folders: JSON.parse(record.folders) as string[],
    slots: record.slots,
    busy: record.busy,
    seenAt: record.seenAt,
  }
}
