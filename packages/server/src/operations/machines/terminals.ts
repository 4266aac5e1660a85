import { stripVTControlCharacters } from "node:util"
import { ChorusError, machines, ReportedRow } from "@chorus/contracts"
import { isNewFailure } from "@chorus/core"
import type { z } from "zod"
import { withdraw as withdrawCall } from "../../deliveries/outbox.ts"
import { forbidden, notFound, operation, type OperationContext } from "../../operation.ts"
import { callPerson, terminalNotice } from "../../push/notice.ts"
import { askPeople, withdraw } from "../attentions/attentions.ts"
import { wishesOf } from "../notifications/notifications.ts"
import { sendToTerminal } from "./machine-lane.ts"
import { machinesFor, terminalRow, terminalUuid } from "./machine-row.ts"

/** A companion tells every half minute that it is there. */
const SILENT_MS = 100_000
/** As on the machine itself, what has ended leaves the list. */
const ENDED_MS = 10 * 60_000
/** As long as a listener remembers what it knew; a machine that is not back by then may never be. */
const LOST_MS = 7 * 24 * 3600_000

export interface Machine {
  readonly uuid: string
  readonly name: string
  readonly agentUuid: string
  readonly agentName: string
  /** Who is called when a terminal there needs somebody. */
  readonly ownerUuid: string | null
}

/**
 * Keeps the newest state of a terminal. What waits for a person there follows from it, so it cannot outlive its cause.
 */
export async function putTerminal(context: OperationContext, machine: Machine, row: ReportedRow): Promise<void> {
  const { db, now, emit } = context
  const where = { machineUuid: machine.uuid, terminalId: row.terminalId }
  const before = await db
    .selectFrom("terminals")
    .select("row")
    .where("machineUuid", "=", machine.uuid)
    .where("terminalId", "=", row.terminalId)
    .executeTakeFirst()
  const former = before === undefined ? undefined : StoredRow.parse(JSON.parse(before.row))
  const tag = requestOf(terminalUuid(machine.uuid, row.terminalId))
  const isUntold = row.state !== former?.state && (await withdrawCall(context, "call", tag))
  const text = JSON.stringify({ ...row, formerly: formerlyOf(row, former, isUntold) })
  if (before?.row === text) return
  await db
    .insertInto("terminals")
    .values({ ...where, row: text, updatedAt: now })
    .onConflict((conflict) =>
      conflict.columns(["machineUuid", "terminalId"]).doUpdateSet({ row: text, updatedAt: now }),
    )
    .execute()
  const { agentUuid, agentName } = machine
  const patch = terminalRow({ ...where, row: text, updatedAt: now, machine: machine.name, agentUuid, agentName })
  const action = before === undefined ? "created" : "updated"
  emit({ kind: "terminal.changed", entityType: "terminal", entityUuid: patch.uuid, projectUuid: null, action, patch })
  const attentionUuid = await followNeed(context, machine, row)
  if (machine.ownerUuid === null) return
  const notice = terminalNotice(row, former, tag, attentionUuid)
  // What an agent asks calls as its other questions do: only whoever wants to be called for them.
  const kind = row.state === "needsInput" ? "attention_requested" : "terminal_finished"
  if (notice !== undefined && (await wishesOf(db, machine.ownerUuid)).push[kind])
    await callPerson(context, machine.ownerUuid, notice)
}

/** With what its owner was called for, as long as nobody can vouch for it: when it is heard of again, that is no news. */
const StoredRow = ReportedRow.extend({
  formerly: ReportedRow.pick({ state: true, since: true }).optional(),
})
type StoredRow = z.infer<typeof StoredRow>

function formerlyOf(row: ReportedRow, former: StoredRow | undefined, isUntold: boolean): StoredRow["formerly"] {
  if (row.state !== "unknown" || former === undefined || isUntold) return undefined
  return former.state === "unknown" ? former.formerly : { state: former.state, since: former.since }
}

export async function dropTerminal(context: OperationContext, machineUuid: string, terminalId: string): Promise<void> {
  const { db, emit } = context
  const gone = await db
    .deleteFrom("terminals")
    .where("machineUuid", "=", machineUuid)
    .where("terminalId", "=", terminalId)
    .returning("terminalId")
    .executeTakeFirst()
  if (gone === undefined) return
  const uuid = terminalUuid(machineUuid, terminalId)
  emit({
    kind: "terminal.gone",
    entityType: "terminal",
    entityUuid: uuid,
    projectUuid: null,
    action: "deleted",
    patch: {},
  })
  await noLongerNeeded(context, uuid)
  await withdrawCall(context, "call", requestOf(uuid))
}

/** Drops what is not among those that are there. */
export async function dropOthers(
  context: OperationContext,
  machineUuid: string,
  present: readonly string[],
): Promise<void> {
  const known = await context.db
    .selectFrom("terminals")
    .select("terminalId")
    .where("machineUuid", "=", machineUuid)
    .execute()
  const there = new Set(present)
  for (const { terminalId } of known) if (!there.has(terminalId)) await dropTerminal(context, machineUuid, terminalId)
}

export const sweepTerminals = operation(machines.sweepTerminals, async (context, { unheardSince }) => {
  if (unheardSince !== undefined && context.actor.type !== "system")
    throw forbidden("Only the server knows whom it has heard since it began.", "Leave `unheardSince` out.")
  const silentSince = unheardSince ?? new Date(Date.parse(context.now) - SILENT_MS).toISOString()
  const unknown = await doubtTerminals(context, silentSince)
  return { unknown, gone: await dropOver(context) }
})

/** Where no companion speaks, nobody else takes off the list what is over. */
async function dropOver(context: OperationContext): Promise<number> {
  const { db, actor, now } = context
  const before = (ms: number) => new Date(Date.parse(now) - ms).toISOString()
  const records = await machinesFor(db, actor)
    .innerJoin("terminals as t", "t.machineUuid", "m.uuid")
    .select(["t.row", "m.uuid", "m.lastSeenAt"])
    .where("m.lastSeenAt", "<", before(ENDED_MS))
    .execute()
  const over = records
    .map(({ row, ...machine }) => ({ machine, row: ReportedRow.parse(JSON.parse(row)) }))
    .filter(({ machine, row }) => machine.lastSeenAt < before(LOST_MS) || (row.ended && !isNewFailure(row)))
  for (const { machine, row } of over) await dropTerminal(context, machine.uuid, row.terminalId)
  return over.length
}

/**
 * Nobody knows what goes on where no companion speaks; what it last said is not passed off as the present. What has ended
 * has ended, and a failure stays until it was seen.
 */
export async function doubtTerminals(
  context: OperationContext,
  silentSince: string,
  machineUuid?: string,
): Promise<number> {
  const { db, actor } = context
  const all = machinesFor(db, actor)
    .innerJoin("terminals as t", "t.machineUuid", "m.uuid")
    .select(["t.row", "m.uuid", "m.name", "m.lastSeenAt", "a.uuid as agentUuid", "a.name as agentName", "a.ownerUuid"])
    .where("m.lastSeenAt", "<=", silentSince)
  const records = await (machineUuid === undefined ? all : all.where("m.uuid", "=", machineUuid)).execute()
  const doubtful = records
    .map(({ row, ...machine }) => ({ machine, row: ReportedRow.parse(JSON.parse(row)) }))
    .filter(({ row }) => row.state !== "unknown" && !row.ended && !isNewFailure(row))
  for (const { machine, row } of doubtful) {
    const since = Date.parse(machine.lastSeenAt)
    const reason = "Nothing has been heard from its machine since then."
    await putTerminal(context, machine, { ...row, state: "unknown", since, source: "server:silence", reason })
  }
  return doubtful.length
}

/**
 * The person is shown the terminal itself; that is the business of whoever's agent reports it, or of those who run the
 * workspace.
 */
export const showTerminal = operation(machines.showTerminal, async (context, { machineUuid, terminalId }) => {
  const { now } = context
  const { machine } = await terminalFor(context, machineUuid, terminalId, "Let its owner go there.")
  if (Date.parse(now) - Date.parse(machine.lastSeenAt) > SILENT_MS)
    throw new ChorusError("machine_silent", `Nothing has been heard from ${machine.name}.`, {
      status: 409,
      next: "Start its companion, or go there yourself.",
    })
  const order = { order: "show", terminalId, at: now } as const
  const about = { kind: "order", title: terminalId, tag: `show:${terminalUuid(machineUuid, terminalId)}` } as const
  return { deliveryUuid: await sendToTerminal(context, machineUuid, order, about) }
})

/** Its machine hears of it as soon as it can; the page need not wait for that. */
export const seeTerminal = operation(machines.seeTerminal, async (context, { machineUuid, terminalId }) => {
  const { machine, row } = await terminalFor(context, machineUuid, terminalId, "Let its owner say so.")
  if (!row.unread) return { deliveryUuid: null }
  await putTerminal(context, machine, { ...row, unread: false })
  const order = { order: "seen", terminalId, since: row.since } as const
  const about = { kind: "order", title: terminalId, tag: `seen:${terminalUuid(machineUuid, terminalId)}` } as const
  return { deliveryUuid: await sendToTerminal(context, machineUuid, order, about) }
})

async function terminalFor(context: OperationContext, machineUuid: string, terminalId: string, next: string) {
  const { db, actor } = context
  const found = await machinesFor(db, actor)
    .innerJoin("terminals as t", "t.machineUuid", "m.uuid")
    .select(["t.row", "m.uuid", "m.name", "m.lastSeenAt", "a.uuid as agentUuid", "a.name as agentName", "a.ownerUuid"])
    .where("m.uuid", "=", machineUuid)
    .where("t.terminalId", "=", terminalId)
    .executeTakeFirst()
  if (found === undefined) throw notFound("terminal", terminalId)
  if (actor.role !== "owner" && actor.role !== "admin" && found.ownerUuid !== actor.uuid)
    throw forbidden("That terminal belongs to somebody else.", next)
  const { row, ...machine } = found
  return { machine, row: ReportedRow.parse(JSON.parse(row)) }
}

/** What waits for a person at the terminal now. */
async function followNeed(context: OperationContext, machine: Machine, row: ReportedRow): Promise<string | undefined> {
  const requestId = requestOf(terminalUuid(machine.uuid, row.terminalId))
  if (row.state !== "needsInput") {
    await noLongerNeeded(context, terminalUuid(machine.uuid, row.terminalId))
    return undefined
  }
  const open = await openNeeds(context, requestId)
  // Another question of the same terminal is another entry, or an answer would reach the wrong one.
  const ask = row.asks === null ? null : row.ask
  const isSame = (need: { detail: string }) => ((JSON.parse(need.detail) as { ask?: string }).ask ?? null) === ask
  const same = open.find(isSame)
  if (same !== undefined) return same.uuid
  for (const need of open) await withdraw(context, need)
  const title = titleOf(row.detail) || titleOf(row.title) || `${row.agent} needs input`
  const { terminalId, agent, title: session, detail: waitsFor, asks: command, folder: cwd, reason } = row
  const what = command === null ? { waitsFor } : { command }
  const about = { machine: machine.name, terminalId, agent, session, cwd, ...what, reason }
  const question =
    ask === null
      ? ({ kind: "input", answerable: false, detail: about } as const)
      : ({ kind: "permission", answerable: true, detail: { ...about, ask } } as const)
  return (await askPeople(context, { ...question, title }, null, { requestId })).uuid
}

async function noLongerNeeded(context: OperationContext, uuid: string): Promise<void> {
  for (const need of await openNeeds(context, requestOf(uuid))) await withdraw(context, need)
}

function openNeeds({ db }: OperationContext, requestId: string) {
  return db
    .selectFrom("attentions")
    .select(["uuid", "detail"])
    .where("requestId", "=", requestId)
    .where("answeredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .execute()
}

/** By which what a terminal waits for is found, and a person's calls about it replace each other. */
function requestOf(uuid: string): string {
  return `terminal:${uuid}`
}

/** Agents write titles with line breaks and colours. */
function titleOf(text: string | null): string {
  return stripVTControlCharacters(text ?? "")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, 300)
}
