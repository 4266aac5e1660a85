import { type changes, ChorusError, landings, type ParsedInputOf } from "@chorus/contracts"
import { isFinished, waves } from "@chorus/core"
import { lock } from "@chorus/store"
import { notFound, operation, type OperationContext, pageIn } from "../../operation.ts"
import { takeNoticesBack } from "../attentions/notices.ts"
import { filesOf, newestShown, type VersionRecord } from "../changes/change-record.ts"
import { blockerWarnings } from "../changes/threads.ts"
import { inGraphOrder } from "../runs/queue.ts"
import { LIVE } from "../runs/waits.ts"
import { passUnjudged } from "../tasks/criterion-marks.ts"
import { close, verify } from "../tasks/task-life.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import {
  assertMayLand,
  changeLanding,
  findLanding,
  landingRows,
  type LandingRecord,
  landingsOf,
  notAllowedOn,
  rowOf,
  selectLandings,
} from "./landing-record.ts"
import { tellNotAllowed } from "./landing-notice.ts"
import { mergedAtForge } from "./pull-requests.ts"
import { revertOf } from "./revert.ts"
import { assertShownSince, noMachine, placeOf } from "./place.ts"
import { take } from "./lease.ts"

type Input = ParsedInputOf<typeof landings.landChange>
type Way = Pick<Input, "act" | "how" | "branch"> & { readonly train?: string; readonly rank?: number }

export const landChange = operation(landings.landChange, async (context, input) => {
  assertMayLand(context)
  const { act, here } = input
  await lock(context, `landing:${input.taskUuid}`)
  const task = await prepared(context, input)
  if (act === "land" || act === "propose") await assertNotLanded(context, task)
  const known = await landingsOf(context.db, task.uuid)
  const idle = known.filter(({ act: wanted, state }) => state === "queued" && holdsUpNobody(wanted, act))
  for (const one of idle) await takeBack(context, one)
  const records = known.filter((one) => !idle.includes(one))
  const open = act === "preview" ? records.find(isUnderWay) : records.find(isOnItsWay)
  if (open !== undefined && (here === undefined || open.act !== act || !isFree(context, open, here)))
    throw alreadyUnderWay(open)
  const landing = open ?? (await queue(context, task, input))
  const machine = { machineName: here ?? null, machineUuid: null }
  const leased = here === undefined ? null : await take(context, landing, machine)
  const warnings = input.verify ? await blockerWarnings(context.db, task.uuid) : []
  return { landing: await rowOf(context, landing.uuid), leased, warnings }
})

export const landProposal = operation(landings.landProposal, async (context, { proposalUuid, ...way }) => {
  assertMayLand(context)
  const { db, newId } = context
  const proposal = await db
    .selectFrom("proposals")
    .select("projectUuid")
    .where("uuid", "=", proposalUuid)
    .executeTakeFirst()
  if (proposal === undefined) throw notFound("proposal", proposalUuid)
  await lock(context, `landings:${context.actor.workspaceUuid}`)
  const tasks = await db
    .selectFrom("tasks")
    .selectAll()
    .where("proposalUuid", "=", proposalUuid)
    .where("status", "<>", "closed")
    .orderBy("doneAt")
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  const { edges } = await inGraphOrder(db, proposal.projectUuid)
  const order = waves(
    tasks.map(({ uuid }) => ({ uuid, weight: null, finished: false })),
    edges,
  ).flat()
  const train = newId()
  const queued: LandingRecord[] = []
  const left: { taskUuid: string; title: string; why: string }[] = []
  for (const uuid of order) {
    const task = await findTask(db, uuid)
    try {
      assertVerified(task)
      await assertShownSince(context, task)
      await assertNotLanded(context, task)
      await assertNoneUnderWay(context, task)
      queued.push(await queue(context, task, { act: "land", ...way, train, rank: queued.length }))
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
      left.push({ taskUuid: uuid, title: task.title, why: error.message })
    }
  }
  return { landings: await landingRows(context, queued), left }
})

export const getLanding = operation(landings.getLanding, async (context, { taskUuid }) => {
  const { db } = context
  const records = await landingsOf(db, taskUuid)
  const task = await findTask(db, taskUuid)
  const version = await newestShown(db, taskUuid)
  const rows = await landingRows(context, records)
  const newest = records.find(({ act }) => act !== "propose")
  const reverted = newest === undefined ? null : ((await revertOf(db, newest)) ?? null)
  const isThere = landedOf(records, task) !== undefined || (await mergedAtForge(context, taskUuid)) !== undefined
  const nothing = { landings: rows, landable: false, proposable: false, obstacle: null, reverted }
  if (version === undefined || isThere || records.some(isOnItsWay)) return nothing
  const place = await placeOf(context, task)
  // Where a run did it, its worktree is still to be taken away.
  if (place.runUuid === null && filesOf(version).length === 0) return nothing
  const landable = place.machineUuid !== null
  const obstacle = landable ? await notAllowedOn(context, { ...place, act: "land" }) : noMachine(task).message
  return { landings: rows, landable, proposable: landable && hasForge(version), obstacle, reverted }
})

export const listLandings = operation(landings.listLandings, async (context, input) => {
  const { projectUuid, taskUuid, proposalUuid, ...page } = input
  const all = await selectLandings(context.db)
    .where("t.projectUuid", "=", projectUuid)
    .$if(taskUuid !== undefined, (query) => query.where("t.uuid", "=", taskUuid ?? ""))
    .$if(proposalUuid !== undefined, (query) => query.where("t.proposalUuid", "=", proposalUuid ?? ""))
    .where("l.act", "=", "land")
    .where("l.state", "<>", "withdrawn")
    .orderBy("l.createdAt", "desc")
    .orderBy("l.rank")
    .execute()
  const newest = [...new Map(all.toReversed().map((record) => [record.taskUuid, record])).values()].toReversed()
  const shown = pageIn(newest, page)
  const landable = proposalUuid === undefined ? {} : { landable: await landableOf(context, all, proposalUuid) }
  return { landings: await landingRows(context, shown.rows), ...landable, ...shown.page }
})

/** Its machine finds out whether the remote is one. */
function hasForge({ branch, repository }: VersionRecord): boolean {
  return branch !== null && (JSON.parse(repository) as changes.RepositoryIdentity).remotes.length > 0
}

async function landableOf(context: OperationContext, records: readonly LandingRecord[], proposalUuid: string) {
  const verified = await context.db
    .selectFrom("tasks")
    .selectAll()
    .where("proposalUuid", "=", proposalUuid)
    .where("status", "=", "done")
    .where("uuid", "in", (eb) => eb.selectFrom("changeVersions").select("taskUuid").where("tree", "is not", null))
    .execute()
  const attempts = Map.groupBy(records, ({ taskUuid }) => taskUuid)
  const couldLand = (task: TaskRecord, own: readonly LandingRecord[] = []) =>
    !own.some(isOnItsWay) && landedOf(own, task) === undefined
  let count = 0
  for (const task of verified) {
    if (!couldLand(task, attempts.get(task.uuid)) || (await mergedAtForge(context, task.uuid)) !== undefined) continue
    if ((await placeOf(context, task)).machineUuid !== null) count++
  }
  return count
}

/** Whoever lands it finds out whether it would go in, and has nothing left to propose. */
function holdsUpNobody(wanted: landings.LandingAct, act: landings.LandingAct): boolean {
  return act !== wanted && (wanted === "preview" || (wanted === "propose" && act !== "preview"))
}

function isUnderWay({ state }: LandingRecord): boolean {
  return state === "queued" || state === "at_work"
}

/** Under way to land or to be discarded; who only looks holds nobody up. */
function isOnItsWay(landing: LandingRecord): boolean {
  return landing.act !== "preview" && isUnderWay(landing)
}

export const withdrawLanding = operation(landings.withdrawLanding, async (context, { landingUuid }) => {
  assertMayLand(context)
  const landing = await findLanding(context.db, landingUuid)
  if (landing.state !== "queued" && landing.state !== "refused")
    throw new ChorusError("landing_begun", `This landing is ${landing.state.replace("_", " ")}.`, {
      status: 409,
      next: "See what became of it; work that has landed can be reverted.",
      details: { landingUuid, state: landing.state },
    })
  return takeBack(context, landing)
})

/** The task as the act needs it: verified for one, left for good for the other. */
async function prepared(context: OperationContext, { taskUuid, act, verify: judge, passing }: Input) {
  const task = await findTask(context.db, taskUuid)
  if (act === "land" || act === "propose") await assertShownSince(context, task)
  if (act === "propose") assertHandedIn(task)
  if (act === "land" && judge && task.status === "to_verify") {
    await passUnjudged(context, task, passing ?? [])
    return verify(context, task)
  }
  if (act === "land") assertVerified(task)
  if (act === "discard") {
    await assertNoRun(context, task)
    if (!isFinished(task.status)) return close(context, task)
  }
  return task
}

async function queue(
  context: OperationContext,
  task: TaskRecord,
  { act, how, branch, here, train, rank = 0 }: Way & { readonly here?: string | undefined },
): Promise<LandingRecord> {
  const { db, actor, now, newId, emit } = context
  const version = await newestShown(db, task.uuid)
  if (version === undefined && act !== "discard") throw noChange(task)
  const place = await placeOf(context, task)
  if (place.machineUuid === null && here === undefined) throw noMachine(task)
  await withdrawRefused(context, task, act)
  const uuid = newId()
  await db
    .insertInto("landings")
    .values({
      uuid,
      workspaceUuid: actor.workspaceUuid,
      taskUuid: task.uuid,
      train: train ?? null,
      rank,
      act,
      how,
      state: "queued",
      reason: null,
      files: "[]",
      version: version?.number ?? null,
      branch: branch ?? null,
      onto: null,
      commit: null,
      pushed: 0,
      ...place,
      byType: actor.type,
      byUuid: actor.uuid,
      lease: null,
      leaseUntil: null,
      createdAt: now,
      endedAt: null,
    })
    .execute()
  const row = await rowOf(context, uuid)
  const { projectUuid } = task
  emit({
    kind: "landing.queued",
    entityType: "landing",
    entityUuid: uuid,
    projectUuid,
    action: "created",
    patch: row,
  })
  const landing = await findLanding(db, uuid)
  if (act === "land" && here === undefined) await tellNotAllowed(context, landing, row.reason)
  return landing
}

async function takeBack(context: OperationContext, landing: LandingRecord): Promise<landings.LandingRow> {
  await takeNoticesBack(context, landing.taskUuid)
  return changeLanding(context, landing, { state: "withdrawn", endedAt: context.now })
}

/** The next attempt takes the place of those that a person had to do something about. */
async function withdrawRefused(context: OperationContext, task: TaskRecord, act: Input["act"]): Promise<void> {
  for (const landing of await landingsOf(context.db, task.uuid))
    if (landing.act === act && landing.state === "refused") await takeBack(context, landing)
}

/** Before anybody has handed it in, nobody has said that it is one. */
function assertHandedIn(task: TaskRecord): void {
  if (task.status === "to_verify" || task.status === "done") return
  throw new ChorusError(
    "wrong_status",
    `"${task.title}" is ${task.status.replace("_", " ")}; only what was handed in is proposed.`,
    {
      status: 409,
      next: BEFORE_LANDING[task.status],
      details: { taskUuid: task.uuid, status: task.status },
    },
  )
}

function assertVerified(task: TaskRecord): void {
  if (task.status === "done") return
  throw new ChorusError(
    "not_verified",
    `"${task.title}" is ${task.status.replace("_", " ")}; only verified work lands.`,
    {
      status: 409,
      next: BEFORE_LANDING[task.status],
      details: { taskUuid: task.uuid, status: task.status },
    },
  )
}

const NOT_HANDED_IN = "Let whoever holds it hand it in; then it can be verified and landed."
const BEFORE_LANDING: Record<TaskRecord["status"], string> = {
  open: "Nobody has done it yet: have it built and handed in first.",
  assigned: NOT_HANDED_IN,
  in_progress: NOT_HANDED_IN,
  to_verify:
    "Verify it first, or do both in one step: `chorus change land TASK --verify`, or *Verify and merge* on the page.",
  done: "",
  closed: "Reopen it if it is wanted after all.",
}

/** What landed after it was last verified is there. */
async function assertNotLanded(context: OperationContext, task: TaskRecord): Promise<void> {
  const landed = landedOf(await landingsOf(context.db, task.uuid), task)
  const merged = await mergedAtForge(context, task.uuid)
  if (merged !== undefined)
    throw new ChorusError("already_landed", `"${task.title}" was merged at its forge: ${merged}.`, {
      status: 409,
      next: "Revert it there to take it out again.",
      details: { taskUuid: task.uuid },
    })
  if (landed === undefined) return
  const where = `${landed.branch ?? "its branch"} as ${(landed.commit ?? "").slice(0, 12)}`
  throw new ChorusError("already_landed", `"${task.title}" is in ${where} already.`, {
    status: 409,
    next: "Revert it to take it out again.",
    details: { taskUuid: task.uuid, landingUuid: landed.uuid },
  })
}

function landedOf(records: readonly LandingRecord[], { doneAt }: TaskRecord): LandingRecord | undefined {
  return records.find(({ state, endedAt }) => state === "landed" && (endedAt ?? "") >= (doneAt ?? ""))
}

async function assertNoneUnderWay({ db }: OperationContext, task: TaskRecord): Promise<void> {
  const open = (await landingsOf(db, task.uuid)).find(isOnItsWay)
  if (open !== undefined) throw alreadyUnderWay(open)
}

/** Taken by nobody, or by one on the same machine that was cut off: there the same landing goes on, and lands once. */
function isFree({ now }: OperationContext, { state, machineName, leaseUntil }: LandingRecord, here: string): boolean {
  return state === "queued" || (machineName === here && (leaseUntil ?? "") < now)
}

async function assertNoRun({ db }: OperationContext, task: TaskRecord): Promise<void> {
  const live = await db
    .selectFrom("runs")
    .select("uuid")
    .where("taskUuid", "=", task.uuid)
    .where("state", "in", LIVE)
    .executeTakeFirst()
  if (live === undefined) return
  throw new ChorusError("already_running", `A run is at work on "${task.title}".`, {
    status: 409,
    next: "Stop it first.",
    details: { runUuid: live.uuid },
  })
}

function alreadyUnderWay({ uuid, act, state }: LandingRecord): ChorusError {
  const what = { land: "landing", preview: "preview", discard: "removal", propose: "proposal" }[act]
  return new ChorusError("already_landing", `A ${what} of this work is ${state.replace("_", " ")}.`, {
    status: 409,
    next: state === "queued" ? "Wait for it, or withdraw it." : "Wait until it has ended.",
    details: { landingUuid: uuid, state },
  })
}

function noChange(task: TaskRecord): ChorusError {
  return new ChorusError("no_change", `Nothing shows what "${task.title}" did to a repository.`, {
    status: 409,
    next: "Send it from the checkout with `chorus change push`.",
    details: { taskUuid: task.uuid },
  })
}
