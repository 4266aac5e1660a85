import type { runs } from "@chorus/contracts"
import { admission, type WantedRun } from "@chorus/core"
import type { Actor, OperationContext } from "../../operation.ts"
import { heldUpBy } from "../landings/landing-record.ts"
import { policyOf } from "./policy.ts"
import { presentRunners } from "./runners.ts"
import { OF_PROJECT, selectRuns, type ShownRun } from "./run-select.ts"
import { verdictOn } from "./spend.ts"

type Reading = Pick<OperationContext, "db" | "actor" | "now">
type Present = runs.RunnerRow

/** The states of a run that has not ended. */
export const LIVE = ["queued", "starting", "running", "waiting"] as const
const AT_WORK = ["starting", "running", "waiting"] as const

/** Why each of these has not begun; one that a machine is about to take has no entry. */
export async function whyTheyWait(context: Reading, queued: readonly ShownRun[]): Promise<Map<string, string>> {
  if (queued.length === 0) return new Map()
  const runners = await presentRunners(context)
  const reasons = new Map<string, string>()
  for (const run of queued) {
    const reason = (await holdUp(context, run)) ?? saidTo(context.actor, runners, run)
    if (reason !== undefined) reasons.set(run.uuid, reason)
  }
  return reasons
}

/** What goes on at machines belongs to no project: whoever is kept to some is told of the machines it runs itself. */
function saidTo({ projectUuids, uuid }: Actor, runners: readonly Present[], run: ShownRun): string | undefined {
  const said = machinesSay(runners, run)
  const own = runners.filter(({ agent }) => agent.uuid === uuid)
  if (said === undefined || projectUuids === null || own.length === runners.length) return said
  return (own.length === 0 ? undefined : machinesSay(own, run)) ?? "No machine takes it now."
}

/** What keeps a run from beginning on any machine: work it builds on, a budget, too many at once. */
export async function holdUp(
  context: Reading,
  run: Pick<ShownRun, "uuid" | "work" | "taskUuid" | "projectUuid" | "budget">,
): Promise<string | undefined> {
  const { db } = context
  const held = run.work === "build" && run.taskUuid !== null ? await heldUpBy(context, run.taskUuid) : undefined
  if (held !== undefined) return held
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
  return busy < parallel ? undefined : `This project already has as many runs at work as it allows (${busy}).`
}

/** Why no machine takes it now; undefined where one will in a moment. */
function machinesSay(runners: readonly Present[], run: ShownRun): string | undefined {
  const named = runners.filter(({ machine }) => run.machineName === null || machine === run.machineName)
  if (runners.length === 0)
    return "No machine runs agents now: `chorus runner allow DIR` allows a repository on the server's own machine."
  if (named.length === 0)
    return `No machine called "${run.machineName}" runs agents now, only ${runners.map(({ machine }) => machine).join(", ")}.`
  const obstacles = named.map((runner) => obstacleOn(runner, run))
  if (obstacles.every((obstacle) => obstacle !== undefined)) return [...new Set(obstacles)].join(" ")
  const able = named.filter((_runner, at) => obstacles[at] === undefined)
  return able.some(({ busy, slots }) => busy < slots) ? undefined : "Every machine that could take it is full."
}

/** What this machine has against a run. */
export function obstacleOn(
  { machine, programs, folders }: Pick<Present, "machine" | "programs" | "folders">,
  run: Omit<WantedRun, "inPlace"> & { readonly inPlace: number },
): string | undefined {
  const program = programs.find((one) => one.program === run.program)
  if (typeof program?.missing === "string")
    return `On ${machine} something is missing for ${run.program}: ${program.missing}`
  const allowed =
    program === undefined ? { programs: [], commands: [], folders } : { ...program, programs: [run.program], folders }
  const said = admission(machine, allowed, { ...run, inPlace: run.inPlace === 1 })
  return "objection" in said ? `${said.objection} ${said.next}` : undefined
}
