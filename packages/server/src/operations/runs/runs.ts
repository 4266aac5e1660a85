import { ChorusError, runs } from "@chorus/contracts"
import { isEnded, isFinished } from "@chorus/core"
import { sql } from "kysely"
import { offsetOf, operation, type OperationContext, pageOf } from "../../operation.ts"
import { findTask } from "../tasks/task-record.ts"
import { sendToRunner } from "./orders.ts"
import { changeRun, findRun, NOTHING_USED, rowOf, runRows, type RunRecord, selectRuns } from "./run-record.ts"

const LIVE = ["queued", "starting", "running", "waiting"] as const
const GO_ON = "Go on where you were."

export const startRun = operation(runs.startRun, async (context, input) => {
  const { db, actor, now, newId, emit } = context
  const task = await findTask(db, input.taskUuid)
  if (isFinished(task.status) || task.status === "to_verify")
    throw new ChorusError("task_finished", `"${task.title}" is ${task.status.replace("_", " ")}.`, {
      status: 409,
      next: "Start another task, or have this one reopened.",
    })
  const other = await db
    .selectFrom("runs")
    .select("uuid")
    .where("taskUuid", "=", task.uuid)
    .where("state", "in", LIVE)
    .executeTakeFirst()
  if (other !== undefined)
    throw new ChorusError("already_running", `A run is at work on "${task.title}".`, {
      status: 409,
      next: "Write to that run, or stop it first.",
      details: { runUuid: other.uuid },
    })
  const uuid = newId()
  await db
    .insertInto("runs")
    .values({
      uuid,
      workspaceUuid: actor.workspaceUuid,
      taskUuid: task.uuid,
      program: input.program,
      command: input.command ?? null,
      model: input.model ?? null,
      mode: input.mode ?? null,
      folder: input.folder ?? null,
      inPlace: input.inPlace ? 1 : 0,
      words: input.words ?? null,
      machineName: input.machine ?? null,
      state: "queued",
      stateSince: now,
      startedByType: actor.type,
      startedByUuid: actor.uuid,
      turns: 0,
      usage: JSON.stringify(NOTHING_USED),
      revision: 0,
      createdAt: now,
    })
    .execute()
  const row = await rowOf(context, uuid)
  const { projectUuid } = row
  emit({ kind: "run.queued", entityType: "run", entityUuid: uuid, projectUuid, action: "created", patch: row })
  return row
})

export const listRuns = operation(runs.listRuns, async ({ db, actor }, input) => {
  let query = selectRuns(db).where("r.workspaceUuid", "=", actor.workspaceUuid)
  if (actor.projectUuids !== null) query = query.where("t.projectUuid", "in", [...actor.projectUuids, ""])
  if (input.projectUuid !== undefined) query = query.where("t.projectUuid", "=", input.projectUuid)
  if (input.taskUuid !== undefined) query = query.where("r.taskUuid", "=", input.taskUuid)
  if (input.live) query = query.where("r.state", "in", LIVE)
  const records = await query
    .orderBy("r.createdAt", "desc")
    .orderBy("r.uuid")
    .offset(offsetOf(input))
    .limit(input.pageSize)
    .execute()
  const { total } = await query
    .clearSelect()
    .select(sql<number>`count(*)`.as("total"))
    .executeTakeFirstOrThrow()
  return { runs: await runRows(db, records), ...pageOf(input, records.length, total) }
})

export const getRun = operation(runs.getRun, (context, { runUuid }) => rowOf(context, runUuid))

export const getTranscript = operation(runs.getTranscript, async ({ db }, { runUuid, after, limit }) => {
  const rows = await db
    .selectFrom("runEntries")
    .select(["revision", "body"])
    .where("runUuid", "=", runUuid)
    .where("revision", ">", after)
    .orderBy("revision")
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  return {
    entries: shown.map(({ revision, body }) => ({ ...runs.RunEntry.parse(JSON.parse(body)), revision })),
    revision: shown.at(-1)?.revision ?? after,
    more: rows.length > limit,
  }
})

export const sendToRun = operation(runs.sendToRun, async (context, { runUuid, text }) => {
  const run = await findRun(context, runUuid)
  if (isEnded(run.state)) return takeUpAgain(context, run, text)
  if (run.state === "queued") return changed(await changeRun(context, run, { words: said(run.words, text) }), run)
  const order = { order: "send", runUuid, text, by: context.actor.name } as const
  await sendToRunner(context, order, { kind: "order", title: run.taskTitle, tag: `run:${runUuid}` })
  return rowOf(context, runUuid)
})

export const interruptRun = operation(runs.interruptRun, async (context, { runUuid }) => {
  const run = await findRun(context, runUuid)
  if (run.state !== "running" && run.state !== "waiting") throw wrongState(run, "interrupted")
  const order = { order: "interrupt", runUuid, by: context.actor.name } as const
  await sendToRunner(context, order, { kind: "order", title: run.taskTitle, tag: `run:${runUuid}` })
  return rowOf(context, runUuid)
})

export const stopRun = operation(runs.stopRun, async (context, { runUuid }) => {
  const run = await findRun(context, runUuid)
  if (isEnded(run.state)) return rowOf(context, runUuid)
  const { now } = context
  if (run.state === "queued")
    return changed(await changeRun(context, run, { state: "stopped", stateSince: now, endedAt: now }), run)
  const order = { order: "stop", runUuid, by: context.actor.name } as const
  await sendToRunner(context, order, { kind: "order", title: run.taskTitle, tag: `run:${runUuid}` })
  return rowOf(context, runUuid)
})

export const resumeRun = operation(runs.resumeRun, async (context, { runUuid, text }) => {
  const run = await findRun(context, runUuid)
  if (!isEnded(run.state)) throw wrongState(run, "taken up again")
  return takeUpAgain(context, run, text ?? GO_ON)
})

async function takeUpAgain(context: OperationContext, run: RunRecord, words: string): Promise<runs.RunRow> {
  const again = { state: "queued", reason: null, stateSince: context.now, endedAt: null, words } as const
  return changed(await changeRun(context, run, again), run)
}

function said(before: string | null, text: string): string {
  return before === null ? text : `${before}\n\n${text}`
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
    next: isEnded(run.state) ? "Take it up again first." : "Stop it first, or write to it.",
    details: { runUuid: run.uuid, state: run.state },
  })
}
