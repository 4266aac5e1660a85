import { ChorusError, type landings } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { forbidden, namesOf, notFound, type OperationContext } from "../../operation.ts"
import { isPresent } from "../runs/runners.ts"

type Reading = Pick<OperationContext, "db" | "now">

/** A landing with what its row shows of its task. */
export type LandingRecord = Schema["landings"] & { readonly projectUuid: string }

type Machine = Pick<LandingRecord, "machineUuid" | "machineName">
type Wanted = Machine & Pick<LandingRecord, "act">

/** The states of a landing that has not ended. */
export const UNDER_WAY = ["queued", "at_work"] as const
/**
 * Those on whose outcome others wait: what was refused lands once a person has done something about it, or takes it
 * back.
 */
export const UNSETTLED = [...UNDER_WAY, "refused"] as const

export function assertMayLand({ actor }: OperationContext): void {
  if (!actor.permissions.has("task:admin"))
    throw forbidden("You may not verify tasks here, so you do not land their work either.", "Ask an admin to land it.")
}

export function selectLandings(db: Db) {
  return db
    .selectFrom("landings as l")
    .innerJoin("tasks as t", "t.uuid", "l.taskUuid")
    .selectAll("l")
    .select("t.projectUuid")
}

export async function findLanding(db: Db, landingUuid: string): Promise<LandingRecord> {
  const record = await selectLandings(db).where("l.uuid", "=", landingUuid).executeTakeFirst()
  if (record === undefined) throw notFound("landing", landingUuid)
  return record
}

/** Those of a task, newest first. */
export function landingsOf(db: Db, taskUuid: string): Promise<LandingRecord[]> {
  return selectLandings(db)
    .where("l.taskUuid", "=", taskUuid)
    .orderBy("l.createdAt", "desc")
    .orderBy("l.uuid", "desc")
    .execute()
}

export async function landingRows(context: Reading, records: readonly LandingRecord[]): Promise<landings.LandingRow[]> {
  const nameOf = await namesOf(
    context.db,
    records.map(({ byUuid }) => byUuid),
  )
  const rows: landings.LandingRow[] = []
  for (const record of records)
    rows.push({
      uuid: record.uuid,
      projectUuid: record.projectUuid,
      taskUuid: record.taskUuid,
      train: record.train,
      act: record.act,
      how: record.how,
      state: record.state,
      reason: record.state === "queued" ? await whyItWaits(context, record) : record.reason,
      files: JSON.parse(record.files) as string[],
      version: record.version,
      branch: record.branch,
      onto: record.onto,
      commit: record.commit,
      pushed: record.pushed === 1,
      machine: record.machineName,
      by: nameOf(record.byType, record.byUuid),
      createdAt: record.createdAt,
      endedAt: record.endedAt,
    })
  return rows
}

export async function rowOf(context: Reading, landingUuid: string): Promise<landings.LandingRow> {
  const [row] = await landingRows(context, [await findLanding(context.db, landingUuid)])
  if (row === undefined) throw notFound("landing", landingUuid)
  return row
}

/** Changes a landing that still stands where `landing` says, and tells its readers; who was slower hears so. */
export async function changeLanding(
  context: OperationContext,
  landing: LandingRecord,
  changes: Partial<Omit<Schema["landings"], "uuid">>,
): Promise<landings.LandingRow> {
  const changed = await context.db
    .updateTable("landings")
    .set(changes)
    .where("uuid", "=", landing.uuid)
    .where("state", "=", landing.state)
    .where("lease", landing.lease === null ? "is" : "=", landing.lease)
    .returning("uuid")
    .executeTakeFirst()
  if (changed === undefined) throw notHeld(await findLanding(context.db, landing.uuid))
  const row = await rowOf(context, landing.uuid)
  context.emit({
    kind: "landing.changed",
    entityType: "landing",
    entityUuid: row.uuid,
    projectUuid: row.projectUuid,
    action: "updated",
    patch: row,
  })
  return row
}

/** What its work builds on and has not landed, or is not done any more. */
export async function heldUpBy({ db }: Pick<Reading, "db">, taskUuid: string): Promise<string | undefined> {
  const before = await db
    .selectFrom("taskEdges as e")
    .innerJoin("tasks as t", "t.uuid", "e.dependsOnUuid")
    .leftJoin("landings as l", (join) =>
      join
        .onRef("l.taskUuid", "=", "t.uuid")
        .on("l.act", "=", "land")
        .on("l.state", "in", [...UNSETTLED]),
    )
    .select(["t.title", "t.status", "l.uuid as landing"])
    .where("e.taskUuid", "=", taskUuid)
    .where(({ or, eb }) => or([eb("t.status", "not in", ["done", "closed"]), eb("l.uuid", "is not", null)]))
    .orderBy("t.createdAt")
    .execute()
  if (before.length === 0) return undefined
  const named = before.map(({ title, status, landing }) =>
    landing === null ? `"${title}" (${status.replace("_", " ")})` : `"${title}" to land`,
  )
  return `Waits for ${[...new Set(named)].join(", ")}.`
}

/** Why a landing in the queue has not begun; nothing where its machine will take it in a moment. */
async function whyItWaits(context: Reading, landing: LandingRecord): Promise<string | null> {
  const held = landing.act === "land" ? await heldUpBy(context, landing.taskUuid) : undefined
  return held ?? (await isAway(context, landing)) ?? (await notAllowedOn(context, landing))
}

async function isAway(context: Reading, { machineUuid, machineName }: Machine): Promise<string | undefined> {
  const runner = await runnerOf(context, machineUuid)
  if (runner !== undefined && isPresent(context, runner.seenAt)) return undefined
  return `Waits for ${machineName ?? "its machine"}, where the work lies.`
}

/** That the machine is there and does not land, with what to run there; nothing where it does, or nobody can know. */
export async function notAllowedOn(
  context: Reading,
  { machineUuid, machineName, act }: Wanted,
): Promise<string | null> {
  const runner = await runnerOf(context, machineUuid)
  if (runner === undefined || !isPresent(context, runner.seenAt)) return null
  const asked = act === "propose" ? runner.pushesAt : runner.landsAt
  if (asked !== null && isPresent(context, asked)) return null
  const machine = machineName ?? "its machine"
  const [allow, byHand] = act === "propose" ? ["--push", "propose"] : ["--land", "land"]
  return `${machine} does not allow it: run \`chorus runner allow DIR ${allow}\` there, or \`chorus change ${byHand}\`.`
}

function runnerOf({ db }: Reading, machineUuid: string | null) {
  return db
    .selectFrom("runners")
    .select(["seenAt", "landsAt", "pushesAt"])
    .where("machineUuid", "=", machineUuid ?? "")
    .executeTakeFirst()
}

export function notHeld({ uuid, state }: LandingRecord): ChorusError {
  return new ChorusError("landing_not_held", `This landing is ${state.replace("_", " ")}, and not this machine's.`, {
    status: 409,
    next: "Leave it; what is in the repository already stays there.",
    details: { landingUuid: uuid, state },
  })
}
