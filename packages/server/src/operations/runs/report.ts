import { ChorusError, type ParsedInputOf, runs, type TaskId } from "@chorus/contracts"
import { type CallStreak, callStreak, holds, isAtWork, isEnded, mayFollow, tellsCost } from "@chorus/core"
import { lock, type Schema, writtenOften } from "@chorus/store"
import type { Updateable } from "kysely"
import { operation, type OperationContext } from "../../operation.ts"
import { endKey } from "../agents/agents.ts"
import { askPeople, withdraw } from "../attentions/attentions.ts"
import { change } from "../hooks/claude-session.ts"
import { reportLast } from "../hooks/agent-end.ts"
import { ownSession, touch } from "../sessions/session-record.ts"
import { close } from "../sessions/sessions.ts"
import { release } from "../tasks/task-life.ts"
import { findTask } from "../tasks/task-record.ts"
import { LEASE_MS, leaseEnd } from "./lease.ts"
import { dropOrders, sendToRunner, settleUpTo } from "./orders.ts"
import { policyOf } from "./policy.ts"
import { answeredBefore } from "./rules.ts"
import { closeCalls, keepEntries } from "./run-entries.ts"
import { changeRun } from "./run-record.ts"
import { tellEnded, tellWaits } from "./run-notice.ts"
import { findRun, type RunRecord } from "./run-select.ts"
import { handOn } from "./run-work.ts"
import { goOnWithLateWords, lockOf } from "./runs.ts"
import { account, verdictOn } from "./spend.ts"

type Report = ParsedInputOf<typeof runs.reportRun>
type HeldRun = Awaited<ReturnType<typeof findRun>>
type Watched = Partial<
  Pick<RunRecord, "heardAt" | "lastCall" | "stillTurns" | "tree" | "warning" | "stoppedFor" | "stopReason">
>

const MINUTE_MS = 60_000
/** What only has to be right within seconds is not worked out anew with every word of an agent. */
const DUE_MS = 5000
const COST_UNTOLD = "Its program tells no cost: no budget in dollars stops it."

/** What hooks call the sessions of a program, so that both speak of one session. */
const SOURCES: Partial<Record<runs.RunProgram, string>> = {
  claude: "claude-code",
  codex: "codex",
  opencode: "opencode",
}

export const reportRun = operation(runs.reportRun, async (context, report) => {
  const { now } = context
  if (report.state !== undefined && isEnded(report.state)) await lock(context, lockOf(report.runUuid))
  const run = await findRun(context, report.runUuid)
  if (run.lease !== report.lease || isEnded(run.state) || run.state === "queued") throw notHeld(run)
  const moves = report.state !== undefined && report.state !== run.state
  if (moves && !mayFollow(run.state, report.state ?? run.state)) throw notHeld(run)
  const ends = isEnded(report.state ?? run.state)
  if (report.sessionId !== undefined && report.sessionId !== run.sessionId)
    await joinSession(context, run, report.sessionId)
  // A program that starts again does not know what it asked before.
  const anew = ends || (moves && report.state === "starting")
  for (const requestId of anew ? await openRequests(context, run) : report.settled)
    await settle(context, run, requestId)
  for (const ask of ends ? [] : report.asks)
    if (!(await answeredBefore(context, run, ask))) await putBeforePeople(context, run, ask)
  const heard = await keepEntries(context, run, report.entries)
  const begun = new Set(report.entries.map(({ id }) => id))
  const revision = anew ? await closeCalls(context, { ...run, revision: heard }, begun) : heard
  const told = Object.fromEntries(
    (["sessionId", "branch", "worktree", "baseCommit", "turns"] as const).flatMap((field) =>
      report[field] === undefined || report[field] === run[field] ? [] : [[field, report[field]]],
    ),
  )
  const due = ends || moves || report.usage !== undefined || told["turns"] !== undefined || heardAgo(run, now) > DUE_MS
  const known = {
    ...told,
    ...(report.usage === undefined ? {} : { usage: JSON.stringify(report.usage) }),
    ...(moves ? { state: report.state ?? run.state, stateSince: now } : {}),
    ...(report.reason === undefined ? {} : { reason: report.reason }),
    ...(due || report.entries.length > 0 || report.tree !== undefined ? await guard(context, run, report, due) : {}),
    ...(ends ? endOf(run, report) : {}),
  }
  if (due && run.sessionUuid !== null && !ends) await touch(context, await ownSession(context, run.sessionUuid))
  if (ends && report.heard !== undefined) await settleUpTo(context, run.uuid, report.heard)
  if (ends) await dropOrders(context, run.uuid)
  if (ends) await windUp(context, run, report)
  const upkeep = ends
    ? { lease: null, leaseUntil: null, keyUuid: null, endedAt: now }
    : due
      ? { leaseUntil: leaseEnd(now) }
      : {}
  const quiet = { lastCall: known.lastCall ?? run.lastCall, heardAt: known.heardAt ?? run.heardAt }
  if (Object.keys(known).some((name) => !(name in quiet)) || ends)
    await changeRun(context, run, { ...known, ...upkeep, revision })
  else await heardOf(context.db, { ...upkeep, ...quiet, revision, uuid: run.uuid }).execute()
  if (ends) await whatFollows(context, await findRun(context, run.uuid))
  else if (moves || (report.reason ?? run.reason) !== run.reason)
    await tellWaits(context, await findRun(context, run.uuid))
  return { uuid: run.uuid, state: report.state ?? run.state }
})

const heardOf = writtenOften((db, { uuid, ...heard }: Updateable<Schema["runs"]> & { uuid: string }) =>
  db.updateTable("runs").set(heard).where("uuid", "=", uuid),
)

async function whatFollows(context: OperationContext, run: HeldRun): Promise<void> {
  if (!(await goOnWithLateWords(context, run))) await tellEnded(context, run)
}

/** What the server itself watches over while a run goes on: its budgets, loops and silence. */
async function guard(context: OperationContext, run: HeldRun, report: Report, due: boolean): Promise<Watched> {
  const { now } = context
  // What its start takes, a set-up say, has limits of its own: a budget is for what the agent does.
  if (due) await account(context, run, report, isAtWork(run.state) ? heardAgo(run, now) : 0)
  const before = run.lastCall === null ? null : (JSON.parse(run.lastCall) as CallStreak)
  const streak = callStreak(before, report.entries)
  const isBusy = run.state === "starting" || isAtWork(run.state)
  const heardAt = report.entries.length > 0 || !isBusy ? now : (run.heardAt ?? now)
  // A word more breaks no rule.
  if (!due && streak === before && report.tree === undefined) return { heardAt }
  const { sameCalls, stillTurns, silentMinutes } = await policyOf(context.db, run.projectUuid)
  const still = report.tree === undefined ? run.stillTurns : report.tree === run.tree ? run.stillTurns + 1 : 0
  const verdict = due ? await verdictOn(context, run) : undefined
  const silent = Math.floor((Date.parse(now) - Date.parse(heardAt)) / MINUTE_MS)
  const warnings = [
    verdict?.warning,
    verdict?.left.usd !== undefined && !tellsCost(run.program) ? COST_UNTOLD : undefined,
    (await wasWithoutTools(context, run, report))
      ? "Its program never asked for the tools of Chorus: it works without them."
      : undefined,
    silent >= silentMinutes ? `Silent for ${silent} minutes.` : undefined,
  ]
  const warning = warnings.filter((one) => one !== undefined).join(" ") || null
  const loop =
    (streak?.times ?? 0) >= sameCalls
      ? `It made the same call ${streak?.times} times in a row.`
      : run.work === "build" && still >= stillTurns
        ? `It changed nothing in ${still} turns.`
        : undefined
  const stop =
    verdict?.over !== undefined
      ? ({ stoppedFor: "budget", stopReason: verdict.over } as const)
      : loop === undefined
        ? undefined
        : ({ stoppedFor: "loop", stopReason: loop } as const)
  if (stop !== undefined && run.stoppedFor === null && !isEnded(report.state ?? run.state))
    await sendToRunner(
      context,
      { order: "stop", runUuid: run.uuid, by: "Chorus" },
      { kind: "order", title: run.taskTitle, tag: `run:${run.uuid}` },
    )
  return {
    heardAt,
    ...(streak === before ? {} : { lastCall: JSON.stringify(streak) }),
    ...(still === run.stillTurns ? {} : { stillTurns: still }),
    ...(report.tree === undefined ? {} : { tree: report.tree }),
    ...(due && warning !== run.warning ? { warning } : {}),
    ...(stop !== undefined && run.stoppedFor === null ? stop : {}),
  }
}

/**
 * Not every program says that it could not reach its tools, but each asks for them with the key of its run before its
 * work is over. What else speaks the protocol may do without.
 */
async function wasWithoutTools({ db }: OperationContext, run: HeldRun, report: Report): Promise<boolean> {
  const { keyUuid, turns, program } = run
  if (keyUuid === null || program === "command" || turns === 0 || report.state !== "finished") return false
  const key = await db.selectFrom("apiKeys").select("lastUsedAt").where("uuid", "=", keyUuid).executeTakeFirst()
  return key?.lastUsedAt === null
}

/** One that Chorus stopped says why; one that was quicker than the order ended by itself. */
function endOf(run: HeldRun, { state }: Report) {
  if (run.stoppedFor === null) return {}
  return state === "stopped" ? { reason: run.stopReason } : { stoppedFor: null, stopReason: null }
}

/** How long ago the runner last prolonged its lease. */
function heardAgo(run: HeldRun, now: string): number {
  return run.leaseUntil === null ? 0 : LEASE_MS - (Date.parse(run.leaseUntil) - Date.parse(now))
}

/** From now on hooks of the same program find this session; one they opened before anybody could know is superseded. */
async function joinSession(context: OperationContext, run: HeldRun, sessionId: string): Promise<void> {
  const source = SOURCES[run.program]
  if (source === undefined || run.sessionUuid === null) return
  const twins = await context.db
    .selectFrom("sessions as s")
    .innerJoin("agents as a", "a.uuid", "s.agentUuid")
    .selectAll("s")
    .where("a.workspaceUuid", "=", context.actor.workspaceUuid)
    .where("s.externalId", "=", `${source}:${sessionId}`)
    .where("s.uuid", "<>", run.sessionUuid)
    .execute()
  for (const twin of twins)
    await close(context, await change(context, twin, { externalId: null, supersededByUuid: run.sessionUuid }))
}

async function putBeforePeople(context: OperationContext, run: HeldRun, ask: runs.RunAsk): Promise<void> {
  if ((await requestOf(context, run, ask.requestId)) !== undefined) return
  const { requestId, expiresInMs, ...question } = ask
  const lapses = expiresInMs === undefined ? {} : { expiresInMinutes: expiresInMs / MINUTE_MS }
  const detail = { ...question.detail, runUuid: run.uuid, requestId, machine: run.machineName }
  const { projectUuid, uuid: runUuid, taskUuid } = run
  const about = taskUuid === null ? {} : { taskUuid: taskUuid as TaskId }
  await askPeople(context, { ...question, ...about, ...lapses, detail }, run.sessionUuid, {
    projectUuid,
    runUuid,
    requestId,
  })
}

async function settle(context: OperationContext, run: HeldRun, requestId: string): Promise<void> {
  const open = await requestOf(context, run, requestId)
  if (open?.answeredAt === null && open.withdrawnAt === null) await withdraw(context, open)
}

async function openRequests({ db }: OperationContext, run: HeldRun): Promise<string[]> {
  const open = await db
    .selectFrom("attentions")
    .select("requestId")
    .where("runUuid", "=", run.uuid)
    .where("answeredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .execute()
  return open.flatMap(({ requestId }) => (requestId === null ? [] : [requestId]))
}

function requestOf({ db }: OperationContext, run: HeldRun, requestId: string) {
  return db
    .selectFrom("attentions")
    .selectAll()
    .where("runUuid", "=", run.uuid)
    .where("requestId", "=", requestId)
    .executeTakeFirst()
}

/** The agent's key ends with its run; what it said last, with what git shows, is the report on its task. */
async function windUp(context: OperationContext, run: HeldRun, report: Report): Promise<void> {
  const { state, lastWords, evidence, turns = run.turns } = report
  if (run.keyUuid !== null) await endKey(context, run.keyUuid)
  if (state === "failed" && turns === 0) await giveBack(context, run)
  if (run.sessionUuid === null) return
  const session = await ownSession(context, run.sessionUuid)
  const words = [lastWords ?? "", evidence ?? ""].filter((part) => part.trim() !== "").join("\n\n")
  if (state === "finished" && session.status === "active") await reportLast(context, session, words)
  await close(context, await ownSession(context, run.sessionUuid))
  if (state === "finished") await handOn(context, run, lastWords ?? "")
}

/** Whose agent never heard of its task has no claim on it. */
async function giveBack(context: OperationContext, { work, taskUuid }: HeldRun): Promise<void> {
  if (work !== "build" || taskUuid === null) return
  const task = await findTask(context.db, taskUuid)
  if (task.status === "in_progress" && holds(context.actor, task)) await release(context, task)
}

function notHeld(run: RunRecord): ChorusError {
  return new ChorusError("run_not_held", `This run is ${run.state}, and not this runner's.`, {
    status: 409,
    next: "End what is left of it here; somebody else decides how it goes on.",
    details: { runUuid: run.uuid, state: run.state },
  })
}
