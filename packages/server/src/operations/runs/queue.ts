import { ChorusError, type runPolicy, type runs } from "@chorus/contracts"
import { chainWeights, type GraphEdge } from "@chorus/core"
import type { Db } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { isArchived } from "../projects/project-row.ts"
import { blockersOf } from "../tasks/task-step.ts"
import { policyOf, usualChoice } from "./policy.ts"
import { presentRunners } from "./runners.ts"
import { NOTHING_USED, OF_PROJECT, rowOf, selectRuns, type ShownRun } from "./run-record.ts"
import { verdictOn } from "./spend.ts"

type Reading = Pick<OperationContext, "db" | "actor" | "now">
type Present = runs.RunnerRow

export const LIVE = ["queued", "starting", "running", "waiting"] as const
const AT_WORK = ["starting", "running", "waiting"] as const
const MODES: readonly runs.RunMode[] = ["ask", "edit", "all"]

/** A run that is to be. */
export interface NewRun {
  readonly work: runs.RunWork
  readonly taskUuid?: string | undefined
  readonly ideaUuid?: string | undefined
  readonly program?: runs.RunProgram | undefined
  readonly command?: string | undefined
  readonly model?: string | undefined
  readonly mode?: runs.RunMode | undefined
  readonly machine?: string | undefined
  readonly folder?: string | undefined
  readonly inPlace?: boolean
  readonly words?: string | undefined
  readonly budget?: runPolicy.RunBudget | undefined
  readonly rank?: number
  readonly fork?: { readonly of: string; readonly turn: number | null }
}

/** Puts a run into the queue of those that wait for a machine. */
export async function queueRun(context: OperationContext, projectUuid: string, wanted: NewRun): Promise<runs.RunRow> {
  const { db, actor, now, newId, emit } = context
  const usual = usualChoice(await policyOf(db, projectUuid), wanted.work)
  const chosen = wanted.program === undefined ? { ...usual, ...defined(wanted) } : wanted
  const uuid = newId()
  await db
    .insertInto("runs")
    .values({
      uuid,
      workspaceUuid: actor.workspaceUuid,
      work: wanted.work,
      taskUuid: wanted.taskUuid ?? null,
      ideaUuid: wanted.ideaUuid ?? null,
      program: chosen.program ?? usual.program,
      command: chosen.command ?? null,
      model: chosen.model ?? null,
      mode: chosen.mode ?? null,
      folder: wanted.folder ?? null,
      inPlace: wanted.inPlace === true ? 1 : 0,
      words: wanted.words ?? null,
      machineName: wanted.machine ?? null,
      rank: wanted.rank ?? 0,
      budget: JSON.stringify(wanted.budget ?? {}),
      stillTurns: 0,
      forkOf: wanted.fork?.of ?? null,
      forkTurn: wanted.fork?.turn ?? null,
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
  emit({ kind: "run.queued", entityType: "run", entityUuid: uuid, projectUuid, action: "created", patch: row })
  return row
}

/** Refuses a second run for the same work, and says whether the first has begun. */
export async function assertFree(
  { db }: Pick<OperationContext, "db">,
  { work, taskUuid, ideaUuid }: Pick<NewRun, "work" | "taskUuid" | "ideaUuid">,
): Promise<void> {
  const other = await selectRuns(db)
    .where("r.work", "=", work)
    .where("r.state", "in", LIVE)
    .where(({ eb }) => eb(taskUuid === undefined ? "r.ideaUuid" : "r.taskUuid", "=", taskUuid ?? ideaUuid ?? ""))
    .executeTakeFirst()
  if (other === undefined) return
  const isQueued = other.state === "queued"
  throw new ChorusError(
    "already_running",
    isQueued
      ? `A run on "${other.taskTitle}" waits in the queue already.`
      : `A run is at work on "${other.taskTitle}".`,
    {
      status: 409,
      next: isQueued
        ? "`chorus runs show` says what it waits for; stop it to start another."
        : "Write to that run, or stop it first.",
      details: { runUuid: other.uuid, state: other.state },
    },
  )
}

/** Why each of these has not begun; one that a machine is about to take has no entry. */
export async function whyTheyWait(context: Reading, queued: readonly ShownRun[]): Promise<Map<string, string>> {
  if (queued.length === 0) return new Map()
  const runners = await presentRunners(context)
  const reasons = new Map<string, string>()
  for (const run of queued) {
    const reason = (await holdUp(context, run)) ?? machinesSay(runners, run)
    if (reason !== undefined) reasons.set(run.uuid, reason)
  }
  return reasons
}

/** What keeps a run from beginning on any machine: work it builds on, a budget, too many at once. */
export async function holdUp(
  context: Reading,
  run: Pick<ShownRun, "uuid" | "work" | "taskUuid" | "projectUuid" | "budget">,
): Promise<string | undefined> {
  const { db } = context
  const blockers = run.work === "build" && run.taskUuid !== null ? await blockersOf(context, run.taskUuid) : []
  if (blockers.length > 0)
    return `Waits for ${blockers.map(({ title, status }) => `"${title}" (${status.replace("_", " ")})`).join(", ")}.`
  const { spent } = await verdictOn(context, run)
  if (spent !== undefined) return spent
  const { parallel } = await policyOf(db, run.projectUuid)
  if (parallel === null) return undefined
  const { busy } = await selectRuns(db)
    .where(OF_PROJECT, "=", run.projectUuid)
    .where("r.state", "in", AT_WORK)
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as("busy"))
    .executeTakeFirstOrThrow()
  return busy < parallel ? undefined : `As many runs of this project are at work as it allows (${busy}).`
}

/** Why no machine takes it now; undefined where one will in a moment. */
function machinesSay(runners: readonly Present[], run: ShownRun): string | undefined {
  const named = runners.filter(({ machine }) => run.machineName === null || machine === run.machineName)
  if (runners.length === 0)
    return "No machine runs agents now: `chorus runner allow DIR` allows a repository on the server's own machine."
  if (named.length === 0)
    return `No machine called "${run.machineName}" runs agents now; there are ${runners.map(({ machine }) => machine).join(", ")}.`
  const obstacles = named.map((runner) => obstacleOn(runner, run))
  if (obstacles.every((obstacle) => obstacle !== undefined)) return [...new Set(obstacles)].join(" ")
  const able = named.filter((_runner, at) => obstacles[at] === undefined)
  return able.some(({ busy, slots }) => busy < slots) ? undefined : "Every place on the machines that could is taken."
}

function obstacleOn({ machine, programs, folders }: Present, run: ShownRun): string | undefined {
  const program = programs.find((one) => one.program === run.program)
  const unknown = run.command !== null && program?.commands?.includes(run.command) === false
  if (program === undefined || unknown) return `${machine} does not allow ${run.command ?? run.program}.`
  if (program.missing !== null) return `On ${machine} something is missing for ${run.program}: ${program.missing}`
  if (folders.length === 0) return `${machine} allows no folder; \`chorus runner allow DIR\` allows one.`
  const { folder } = run
  if (folder !== null && !folders.some((path) => path === folder || path.endsWith(`/${folder}`)))
    return `${machine} does not allow ${folder}; it allows ${folders.join(", ")}.`
  const { mode, inPlace } = program
  if (run.mode !== null && mode !== undefined && MODES.indexOf(run.mode) > MODES.indexOf(mode))
    return `${machine} allows no mode beyond "${mode}".`
  return run.inPlace === 1 && inPlace === false ? `${machine} allows no run in place.` : undefined
}

/** Open tasks of a project with what each depends on; heaviest chains first, as they decide when all is done. */
export async function inGraphOrder(db: Db, projectUuid: string, taskUuids?: readonly string[]) {
  const tasks = await db
    .selectFrom("tasks")
    .selectAll()
    .where("projectUuid", "=", projectUuid)
    .where("status", "not in", ["done", "closed"])
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  const edges: GraphEdge[] = await db
    .selectFrom("taskEdges as e")
    .innerJoin("tasks as t", "t.uuid", "e.taskUuid")
    .select(["e.taskUuid", "e.dependsOnUuid"])
    .where("t.projectUuid", "=", projectUuid)
    .execute()
  const weights = chainWeights(
    tasks.map(({ uuid }) => ({ uuid, weight: null, finished: false })),
    edges,
  )
  const wanted = taskUuids === undefined ? tasks : tasks.filter(({ uuid }) => taskUuids.includes(uuid))
  return {
    tasks: wanted.toSorted((one, other) => (weights.get(other.uuid) ?? 0) - (weights.get(one.uuid) ?? 0)),
    edges,
  }
}

/**
 * The next task that autopilot begins with one of these programs: ready, nobody's, and not tried before. What a run gave up
 * or was stopped at is a person's to decide.
 */
export async function autopilotRun(
  context: OperationContext,
  able: readonly runs.RunProgram[],
): Promise<runs.RunRow | undefined> {
  const { db, actor } = context
  let flown = db
    .selectFrom("projects")
    .select("uuid")
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("status", "=", "active")
    .where("settings", "like", '%"autopilot":true%')
  if (actor.projectUuids !== null) flown = flown.where("uuid", "in", [...actor.projectUuids, ""])
  for (const { uuid: projectUuid } of await flown.orderBy("createdAt").execute()) {
    const policy = await policyOf(db, projectUuid)
    const { program } = usualChoice(policy, "build")
    if (!policy.autopilot || !able.includes(program) || (await isArchived(db, projectUuid))) continue
    const tried = await db
      .selectFrom("runs as r")
      .innerJoin("tasks as t", "t.uuid", "r.taskUuid")
      .select("t.uuid")
      .where("t.projectUuid", "=", projectUuid)
      .where("r.work", "=", "build")
      .execute()
    const { tasks } = await inGraphOrder(db, projectUuid)
    const ready = tasks.find(
      ({ uuid, status, openDependencies }) =>
        status === "open" && openDependencies === 0 && !tried.some((run) => run.uuid === uuid),
    )
    if (ready === undefined) continue
    const { uuid: taskUuid } = ready
    const toBe = { uuid: "", work: "build", taskUuid, projectUuid, budget: "{}" } as const
    if ((await holdUp(context, toBe)) === undefined) return queueRun(context, projectUuid, { work: "build", taskUuid })
  }
  return undefined
}

function defined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>
}
