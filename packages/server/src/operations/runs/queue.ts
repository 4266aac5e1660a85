import { ChorusError, type runPolicy, type runs } from "@chorus/contracts"
import { chainWeights, type GraphEdge, type WantedRun } from "@chorus/core"
import { type Db, inTurns } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { takeNoticesBack, takeRunNoticesBack } from "../attentions/notices.ts"
import { isArchived } from "../projects/project-row.ts"
import { assertWithin, policyOf, usualChoice } from "./policy.ts"
import { rowOf } from "./run-record.ts"
import { NOTHING_USED, selectRuns } from "./run-select.ts"
import { holdUp, LIVE } from "./waits.ts"

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
  /** Said after the brief, each by itself. */
  readonly words?: readonly string[] | undefined
  readonly budget?: runPolicy.RunBudget | undefined
  readonly rank?: number
  readonly fork?: { readonly of: string; readonly turn: number | null }
}

/** Puts a run into the queue of those that wait for a machine. */
export async function queueRun(context: OperationContext, projectUuid: string, wanted: NewRun): Promise<runs.RunRow> {
  const { db, actor, now, newId, emit } = context
  await assertWithin(context, projectUuid, wanted.budget)
  const usual = await usualChoice(context, await policyOf(db, projectUuid), wanted.work, wanted.machine)
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
      words: wanted.words === undefined ? null : JSON.stringify(wanted.words),
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
      workMs: 0,
      waitMs: 0,
      usage: JSON.stringify(NOTHING_USED),
      revision: 0,
      createdAt: now,
    })
    .execute()
  if (wanted.work === "build" && wanted.taskUuid !== undefined) await takeNoticesBack(context, wanted.taskUuid)
  const { work, taskUuid = null, ideaUuid = null } = wanted
  await takeRunNoticesBack(context, { work, taskUuid, ideaUuid })
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
  const weights = await inTurns(
    chainWeights(
      tasks.map(({ uuid }) => ({ uuid, weight: null, finished: false })),
      edges,
    ),
  )
  const wanted = taskUuids === undefined ? tasks : tasks.filter(({ uuid }) => taskUuids.includes(uuid))
  return {
    tasks: wanted.toSorted((one, other) => (weights.get(other.uuid) ?? 0) - (weights.get(one.uuid) ?? 0)),
    edges,
  }
}

/**
 * The next task that autopilot begins where it fits: ready, nobody's, and not tried before. What a run gave up
 * or was stopped at is a person's to decide.
 */
export async function autopilotRun(
  context: OperationContext,
  fits: (run: Omit<WantedRun, "inPlace"> & { readonly inPlace: number }) => boolean,
): Promise<runs.RunRow | undefined> {
  const { db, actor } = context
  let flown = db
    .selectFrom("projects")
    .select(["uuid", "name"])
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("status", "=", "active")
    .where("settings", "like", '%"autopilot":true%')
  if (actor.projectUuids !== null) flown = flown.where("uuid", "in", [...actor.projectUuids])
  for (const { uuid: projectUuid, name: projectName } of await flown.orderBy("createdAt").execute()) {
    const policy = await policyOf(db, projectUuid)
    const { program, command = null, mode = null } = await usualChoice(context, policy, "build")
    const isFit = fits({ program, command, mode, folder: null, inPlace: 0, projectName })
    if (!policy.autopilot || !isFit || (await isArchived(db, projectUuid))) continue
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
