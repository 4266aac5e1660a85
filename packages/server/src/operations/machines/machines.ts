import { ChorusError, MachineInventory, machines } from "@chorus/contracts"
import { sql } from "kysely"
import { operation, pageIn } from "../../operation.ts"
import { knownPlugins } from "./known-plugins.ts"
import { curatedSet, machineRow, machinesFor, terminalRow } from "./machine-row.ts"

const URGENCY = ["needsInput", "running", "unknown", "idle", "finished"]

export const listMachines = operation(machines.listMachines, async ({ db, actor }, page) => {
  const records = await machinesFor(db, actor)
    .selectAll("m")
    .select([
      "a.name as agentName",
      sql<number>`(select count(*) from terminals t where t."machineUuid" = m."uuid")`.as("terminals"),
    ])
    .orderBy("m.lastSeenAt", "desc")
    .execute()
  const curated = await curatedSet(db, actor.workspaceUuid)
  const shown = pageIn(records, page)
  return { machines: shown.rows.map((record) => machineRow(record, curated)), ...shown.page }
})

export const listTerminals = operation(machines.listTerminals, async ({ db, actor }, page) => {
  const records = await machinesFor(db, actor)
    .innerJoin("terminals as t", "t.machineUuid", "m.uuid")
    .selectAll("t")
    .select(["m.name as machine", "a.uuid as agentUuid", "a.name as agentName"])
    .orderBy("t.updatedAt", "desc")
    .limit(1000)
    .execute()
  const terminals = records.map(terminalRow)
  const shown = pageIn(
    terminals.sort((one, other) => URGENCY.indexOf(one.state) - URGENCY.indexOf(other.state)),
    page,
  )
  return { terminals: shown.rows, ...shown.page }
})

export const browsePlugins = operation(machines.browsePlugins, async ({ db, actor }) => {
  const records = await machinesFor(db, actor)
    .select(["m.name", "m.inventory"])
    .where("m.inventory", "is not", null)
    .orderBy("m.lastSeenAt", "desc")
    .execute()
  const inventories = records.map(({ name, inventory }) => ({
    ...MachineInventory.parse(JSON.parse(inventory ?? "null")),
    machine: name,
  }))
  return { plugins: knownPlugins(inventories, await curatedSet(db, actor.workspaceUuid)) }
})

export const getCuratedPlugins = operation(machines.getCuratedPlugins, async ({ db, actor }) =>
  curatedSet(db, actor.workspaceUuid),
)

export const curatePlugins = operation(machines.curatePlugins, async ({ db, actor, now, emit }, wanted) => {
  const current = await curatedSet(db, actor.workspaceUuid)
  if (wanted.revision !== current.revision) {
    throw new ChorusError("stale_version", `The set is at revision ${current.revision}, not ${wanted.revision}.`, {
      status: 409,
      next: "Load it again and repeat your change.",
      details: { currentVersion: current.revision },
    })
  }
  const next = { ...wanted, revision: current.revision + 1 }
  const row = { revision: next.revision, body: JSON.stringify(next), changedByUuid: actor.uuid, changedAt: now }
  const kept =
    current.revision === 0
      ? await db
          .insertInto("curatedSets")
          .values({ workspaceUuid: actor.workspaceUuid, ...row })
          .onConflict((conflict) => conflict.doNothing())
          .returning("revision")
          .executeTakeFirst()
      : await db
          .updateTable("curatedSets")
          .set(row)
          .where("workspaceUuid", "=", actor.workspaceUuid)
          .where("revision", "=", current.revision)
          .returning("revision")
          .executeTakeFirst()
  if (kept === undefined)
    throw new ChorusError("stale_version", "Somebody changed the set at the same moment.", {
      status: 409,
      next: "Load it again and repeat your change.",
    })
  emit({
    kind: "plugins.curated",
    entityType: "curated_plugins",
    entityUuid: actor.workspaceUuid,
    projectUuid: null,
    action: "updated",
    patch: { ...next },
  })
  return next
})
