import { type changes, landings } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { asChorus, forbidden, operation, type OperationContext } from "../../operation.ts"
import { checkableOf } from "../checks/check-queue.ts"
import { filesOf, versionRecords, type VersionRecord } from "../changes/change-record.ts"
import { machineOf } from "../machines/machine-lane.ts"
import { leaseEnd } from "../runs/lease.ts"
import { takeUpReturned } from "../runs/runs.ts"
import { settingsOfProject } from "../task-work/settings.ts"
import { reopen } from "../tasks/task-life.ts"
import { criteriaOf, findTask, type TaskRecord } from "../tasks/task-record.ts"
import { takeNoticesBack } from "../attentions/notices.ts"
import { tellPeople } from "./landing-notice.ts"
import { keepPullRequest } from "./pull-requests.ts"
import {
  changeLanding,
  findLanding,
  heldUpBy,
  type LandingRecord,
  notHeld,
  rowOf,
  selectLandings,
  UNDER_WAY,
} from "./landing-record.ts"

/** How each act can end. */
const ENDS: Readonly<Record<landings.LandingAct, readonly landings.LandingState[]>> = {
  land: ["landed", "conflict", "broken", "refused"],
  preview: ["clean", "conflict", "refused"],
  discard: ["discarded", "refused"],
  propose: ["proposed", "refused"],
}

export const leaseLanding = operation(landings.leaseLanding, async (context, { machine, acts }) => {
  const { db, actor, now } = context
  if (actor.type !== "agent")
    throw forbidden("Only a runner with an agent's key asks for work.", "Use `chorus runner`.")
  const machineUuid = await machineOf(context, actor.uuid, machine)
  const allowed = {
    ...(acts.includes("land") ? { landsAt: now } : {}),
    ...(acts.includes("propose") ? { pushesAt: now } : {}),
  }
  if (Object.keys(allowed).length > 0)
    await db.updateTable("runners").set(allowed).where("machineUuid", "=", machineUuid).execute()
  await lock(context, `landings:${actor.workspaceUuid}`)
  const waiting = await selectLandings(db)
    .where("l.workspaceUuid", "=", actor.workspaceUuid)
    .where("l.machineUuid", "=", machineUuid)
    .where("l.state", "in", UNDER_WAY)
    .where("l.act", "in", acts)
    .orderBy("l.createdAt")
    .orderBy("l.rank")
    .orderBy("l.uuid")
    .execute()
  // A machine has one runner, and that one has time: what it holds was left by one before it.
  const next = waiting.find(({ state }) => state === "at_work") ?? (await firstReady(context, waiting))
  return { landing: next === undefined ? null : await take(context, next, { machineUuid, machineName: machine }) }
})

export const reportLanding = operation(landings.reportLanding, async (context, report) => {
  const { db, now } = context
  const landing = await findLanding(db, report.landingUuid)
  if (landing.state !== "at_work" || landing.lease !== report.lease) throw notHeld(landing)
  const { state } = report
  if (state === undefined) {
    await db
      .updateTable("landings")
      .set({ leaseUntil: leaseEnd(now) })
      .where("uuid", "=", landing.uuid)
      .execute()
    return rowOf(context, landing.uuid)
  }
  if (!ENDS[landing.act].includes(state)) throw notHeld(landing)
  const row = await changeLanding(context, landing, {
    state,
    reason: report.reason ?? null,
    files: JSON.stringify(report.files),
    branch: report.branch ?? landing.branch,
    onto: report.onto ?? null,
    commit: report.commit ?? null,
    pushed: report.pushed ? 1 : 0,
    lease: null,
    leaseUntil: null,
    endedAt: now,
  })
  if (report.pullRequest !== undefined)
    await keepPullRequest(context, { taskUuid: landing.taskUuid, pullRequest: report.pullRequest })
  if (landing.act === "preview") return row
  const task = await findTask(db, landing.taskUuid)
  const comesBack = (state === "conflict" || state === "broken") && task.status === "done"
  if (comesBack && (await sendBack(asChorus(context), task, { ...report, runUuid: landing.runUuid }))) return row
  // An agent that a person started hears of it as of all that is sent back; there is no run to go on.
  if (comesBack && landing.runUuid === null) await takeNoticesBack(context, task.uuid)
  else if (comesBack || state === "refused") await tellPeople(context, await findLanding(db, landing.uuid))
  else await takeNoticesBack(context, task.uuid)
  return row
})

/** Whether the run that did it goes on with the reason by itself; else a person decides who mends it. */
async function sendBack(
  context: OperationContext,
  task: TaskRecord,
  { reason, runUuid }: { readonly reason?: string | undefined; readonly runUuid: string | null },
): Promise<boolean> {
  await reopen(context, task, { force: true, reason })
  const { returnFailedChecks } = await settingsOfProject(context.db, task.projectUuid)
  return returnFailedChecks && runUuid !== null && takeUpReturned(context, runUuid)
}

/** Gives a landing to whoever carries it out. */
export async function take(
  context: OperationContext,
  landing: LandingRecord,
  machine: Pick<LandingRecord, "machineUuid" | "machineName">,
): Promise<landings.LeasedLanding> {
  const { db, now, newId } = context
  const lease = newId()
  await changeLanding(context, landing, { ...machine, state: "at_work", lease, leaseUntil: leaseEnd(now) })
  if (landing.act === "land") await takeNoticesBack(context, landing.taskUuid)
  const task = await findTask(db, landing.taskUuid)
  const version = (await versionRecords(db, task.uuid)).find(({ number }) => number === landing.version)
  const project = await db
    .selectFrom("projects")
    .select("name")
    .where("uuid", "=", task.projectUuid)
    .executeTakeFirstOrThrow()
  const criteria = await criteriaOf(db, task.uuid)
  return {
    uuid: landing.uuid,
    lease,
    act: landing.act,
    how: landing.how,
    branch: landing.branch,
    taskUuid: task.uuid,
    shortId: task.shortId ?? task.uuid,
    title: task.title,
    criteria: criteria.map(({ description }) => description),
    projectName: project.name,
    runUuid: landing.runUuid,
    tree: version?.tree ?? null,
    headCommit: version?.headCommit ?? null,
    baseRef: version?.baseRef ?? null,
    baseCommit: version?.baseCommit ?? null,
    workBranch: version?.branch ?? null,
    byHand: landing.runUuid === null && version !== undefined ? shownByHand(version) : null,
    ...(landing.act === "land" ? await checksOf(context, landing, task) : { checks: [], unapproved: [] }),
  }
}

function shownByHand(version: VersionRecord): landings.LeasedLanding["byHand"] {
  return {
    repository: JSON.parse(version.repository) as changes.RepositoryIdentity,
    files: filesOf(version).map(({ path, patchSha }) => ({ path, patchSha })),
  }
}

async function firstReady(
  context: OperationContext,
  waiting: readonly LandingRecord[],
): Promise<LandingRecord | undefined> {
  for (const landing of waiting) {
    const { status } = await findTask(context.db, landing.taskUuid)
    if (landing.act === "land" && status !== "done") {
      const reason = "Its task is not done any more."
      await changeLanding(context, landing, { state: "withdrawn", reason, endedAt: context.now })
    } else if (landing.act !== "land" || (await heldUpBy(context, landing.taskUuid)) === undefined) return landing
  }
  return undefined
}

/**
 * The commands that have to hold once it is in: its own, those of what landed before it on the same train, and what its
 * project asks of all work. Like every command, only where a person approved it.
 */
async function checksOf(
  { db }: OperationContext,
  { train }: LandingRecord,
  task: TaskRecord,
): Promise<Pick<landings.LeasedLanding, "checks" | "unapproved">> {
  const before =
    train === null
      ? []
      : await db
          .selectFrom("landings")
          .select("taskUuid as uuid")
          .where("train", "=", train)
          .where("state", "=", "landed")
          .orderBy("rank")
          .execute()
  const { projectUuid } = task
  const checkable = []
  for (const { uuid } of [task, ...before]) checkable.push(...(await checkableOf(db, { uuid, projectUuid })))
  const approved = Map.groupBy(
    checkable.filter((item) => item.approved),
    ({ command }) => command,
  )
  return {
    checks: [...approved].map(([command, [first]]) => ({ criterion: first?.name ?? command, command })),
    unapproved: [...new Set(checkable.map(({ command }) => command))].filter((command) => !approved.has(command)),
  }
}
