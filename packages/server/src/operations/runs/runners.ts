import { type ParsedInputOf, runs } from "@chorus/contracts"
import { offsetOf, operation, type OperationContext, pageOf } from "../../operation.ts"

/** A runner asks every few seconds; one that has not is away. */
const AWAY_MS = 30_000

export const listRunners = operation(runs.listRunners, async ({ db, actor, now }, page) => {
  // A machine belongs to no project; whoever is kept to some sees those it runs itself.
  const all = selectRunners({ db, actor })
  const seen = actor.projectUuids === null ? all : all.where("m.agentUuid", "=", actor.uuid)
  const records = await seen.orderBy("n.seenAt", "desc").execute()
  const shown = records.slice(offsetOf(page), offsetOf(page) + page.pageSize)
  return { runners: shown.map((record) => runnerRow(record, now)), ...pageOf(page, shown.length, records.length) }
})

/** The machines that run agents now. */
export async function presentRunners({ db, actor, now }: Pick<OperationContext, "db" | "actor" | "now">) {
  const records = await selectRunners({ db, actor }).execute()
  return records.map((record) => runnerRow(record, now)).filter(({ present }) => present)
}

export function isPresent({ now }: Pick<OperationContext, "now">, seenAt: string): boolean {
  return Date.parse(now) - Date.parse(seenAt) <= AWAY_MS
}

export async function noteRunner(
  context: OperationContext,
  machineUuid: string,
  input: ParsedInputOf<typeof runs.leaseRun>,
): Promise<void> {
  const { db, actor, now, emit } = context
  const told = {
    programs: JSON.stringify(input.programs),
    folders: JSON.stringify(input.folders),
    slots: input.slots,
    busy: input.busy,
    checks: input.checks ? 1 : 0,
  }
  // What changes with every breath is read when somebody looks, and no news.
  const upkeep = { seenAt: now, room: input.room === undefined ? null : JSON.stringify(input.room) }
  const before = await db.selectFrom("runners").selectAll().where("machineUuid", "=", machineUuid).executeTakeFirst()
  await db
    .insertInto("runners")
    .values({ machineUuid, ...told, ...upkeep, landsAt: null, pushesAt: null })
    .onConflict((conflict) => conflict.column("machineUuid").doUpdateSet({ ...told, ...upkeep }))
    .execute()
  const names = Object.keys(told) as (keyof typeof told)[]
  if (before !== undefined && names.every((name) => before[name] === told[name])) return
  const record = await selectRunners({ db, actor }).where("n.machineUuid", "=", machineUuid).executeTakeFirstOrThrow()
  emit({
    kind: "runner.reported",
    entityType: "runner",
    entityUuid: machineUuid,
    projectUuid: null,
    action: before === undefined ? "created" : "updated",
    patch: runnerRow(record, now),
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

function runnerRow(record: RunnerRecord, now: string): runs.RunnerRow {
  return {
    uuid: record.machineUuid,
    machine: record.machine,
    agent: { type: "agent", uuid: record.agentUuid, name: record.agentName },
    programs: JSON.parse(record.programs) as runs.RunnerProgram[],
    folders: runs.RunnerFolders.parse(JSON.parse(record.folders)),
    slots: record.slots,
    busy: record.busy,
    checks: record.checks === 1,
    room: record.room === null ? null : (JSON.parse(record.room) as runs.RunnerRoom),
    seenAt: record.seenAt,
    present: isPresent({ now }, record.seenAt),
  }
}
