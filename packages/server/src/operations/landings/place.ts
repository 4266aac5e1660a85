import { type changes, ChorusError, runs } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import { newestShown, type VersionRecord } from "../changes/change-record.ts"
import { LIVE } from "../runs/waits.ts"
import { lastHandInNumber } from "../tasks/hand-in.ts"
import type { TaskRecord } from "../tasks/task-record.ts"
import type { LandingRecord } from "./landing-record.ts"

type Reading = Pick<OperationContext, "db" | "actor">

/** The machine that has the work, and the run that did it; no machine where none has it that may be asked. */
export type Place = Pick<LandingRecord, "runUuid" | "machineUuid" | "machineName">

const NOWHERE: Place = { runUuid: null, machineUuid: null, machineName: null }

/**
 * The machine of the last run that did the work. What an agent did that a person started lies in a checkout; the runner
 * of that machine has it where it may work in that repository.
 */
export async function placeOf({ db, actor }: Reading, task: Pick<TaskRecord, "uuid" | "projectUuid">): Promise<Place> {
  const run = await db
    .selectFrom("runs")
    .select(["uuid as runUuid", "machineUuid", "machineName"])
    .where("taskUuid", "=", task.uuid)
    .where("work", "=", "build")
    .where("branch", "is not", null)
    .orderBy("startedAt", "desc")
    .executeTakeFirst()
  if (run !== undefined) return run
  const version = await newestShown(db, task.uuid)
  const [found] = version === undefined ? [] : await runnersAt({ db, actor }, task, version)
  return found === undefined
    ? NOWHERE
    : { runUuid: null, machineUuid: found.machineUuid, machineName: found.machineName }
}

/** The runners of the machine on which a version was shown that may work in its repository, the newest sign first. */
export async function runnersAt({ db, actor }: Reading, task: Pick<TaskRecord, "projectUuid">, version: VersionRecord) {
  const checkout = checkoutOf(version)
  if (checkout === undefined) return []
  const project = await db
    .selectFrom("projects")
    .select("name")
    .where("uuid", "=", task.projectUuid)
    .executeTakeFirstOrThrow()
  const runners = await db
    .selectFrom("runners as n")
    .innerJoin("machines as m", "m.uuid", "n.machineUuid")
    .innerJoin("agents as a", "a.uuid", "m.agentUuid")
    .select(["n.machineUuid", "n.folders", "n.checks", "n.seenAt", "m.name as machineName", "m.agentUuid"])
    .where("a.workspaceUuid", "=", actor.workspaceUuid)
    .where("m.name", "=", checkout.machine)
    .orderBy("n.seenAt", "desc")
    .execute()
  return runners.filter(({ folders }) =>
    runs.RunnerFolders.parse(JSON.parse(folders)).some(
      (folder) =>
        folder.path === checkout.repository && (folder.project === undefined || folder.project === project.name),
    ),
  )
}

function checkoutOf({ repository }: VersionRecord): changes.RepositoryIdentity["checkout"] {
  return (JSON.parse(repository) as changes.RepositoryIdentity).checkout
}

/** A run shows what it did when its turn ends; until then the newest that was shown may be what was sent back. */
export async function assertShownSince({ db }: Reading, { uuid, title }: Pick<TaskRecord, "uuid" | "title">) {
  const version = await newestShown(db, uuid)
  if (version === undefined || version.handIn >= (await lastHandInNumber(db, uuid))) return
  const run = await db
    .selectFrom("runs")
    .select("uuid")
    .where("taskUuid", "=", uuid)
    .where("work", "=", "build")
    .where("state", "in", LIVE)
    .executeTakeFirst()
  if (run === undefined) return
  throw new ChorusError(
    "work_not_shown",
    `The run at work on "${title}" has handed in, and has not shown yet what it did since it was sent back.`,
    {
      status: 409,
      next: "Wait until its turn ends, look at what it shows, and land that.",
      details: { taskUuid: uuid, runUuid: run.uuid },
    },
  )
}

/** Why no machine is asked to land it, and what does. */
export function noMachine({ uuid, shortId }: Pick<TaskRecord, "uuid" | "shortId">): ChorusError {
  return new ChorusError(
    "no_machine_lands",
    `No runner may work where this lies, so no machine can land it: run \`chorus change land ${shortId ?? uuid}\` in its checkout.`,
    {
      status: 409,
      next: "Or let that machine's runner do it: `chorus runner allow DIR --land` there.",
    },
  )
}
