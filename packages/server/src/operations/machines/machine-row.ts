import { CuratedSet, type machines, MachineInventory, ReportedRow } from "@chorus/contracts"
import { pluginDeviations } from "@chorus/core"
import type { Db, Schema } from "@chorus/store"
import type { Actor } from "../../operation.ts"

export const NO_PLUGINS: CuratedSet = { revision: 0, marketplaces: {}, plugins: [], exclusive: false }

/**
 * The machines a caller sees. What goes on there belongs to no project, so whoever is kept to some projects sees only the
 * machines it reports from itself.
 */
export function machinesFor(db: Db, actor: Actor) {
  const machines = db
    .selectFrom("machines as m")
    .innerJoin("agents as a", "a.uuid", "m.agentUuid")
    .where("a.workspaceUuid", "=", actor.workspaceUuid)
  return actor.projectUuids === null ? machines : machines.where("m.agentUuid", "=", actor.uuid)
}

type MachineRecord = Schema["machines"] & { agentName: string; terminals: number }
type TerminalRecord = Schema["terminals"] & { machine: string; agentUuid: string; agentName: string }

export function machineRow(record: MachineRecord, curated: CuratedSet): machines.MachineRow {
  const inventory =
    record.inventory === null ? null : withoutOffers(MachineInventory.parse(JSON.parse(record.inventory)))
  return {
    uuid: record.uuid,
    name: record.name,
    agent: { type: "agent", uuid: record.agentUuid, name: record.agentName },
    lastSeenAt: record.lastSeenAt,
    terminals: record.terminals,
    inventory,
    inventoryAt: record.inventoryAt,
    deviations: inventory === null ? [] : pluginDeviations(inventory, curated),
  }
}

function withoutOffers({ offers: _offers, ...inventory }: MachineInventory): MachineInventory {
  return inventory
}

export function terminalRow(record: TerminalRecord): machines.TerminalRow {
  const { sessionMark: _mark, ...row } = ReportedRow.parse(JSON.parse(record.row))
  return {
    ...row,
    uuid: terminalUuid(record.machineUuid, record.terminalId),
    machineUuid: record.machineUuid,
    machine: record.machine,
    owner: { type: "agent", uuid: record.agentUuid, name: record.agentName },
    updatedAt: record.updatedAt,
  }
}

/** A terminal has no id of its own beyond its machine; this one is for readers that keep rows by id. */
export function terminalUuid(machineUuid: string, terminalId: string): string {
  return `${machineUuid}/${terminalId}`
}

export async function curatedSet(db: Db, workspaceUuid: string): Promise<CuratedSet> {
  const row = await db
    .selectFrom("curatedSets")
    .select("body")
    .where("workspaceUuid", "=", workspaceUuid)
    .executeTakeFirst()
  return row === undefined ? NO_PLUGINS : CuratedSet.parse(JSON.parse(row.body))
}
