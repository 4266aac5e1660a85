import type { DatabaseSync } from "node:sqlite"
import type { LogEvent, NewEvent } from "@chorus/contracts"
import { askedOften } from "./asked-often.ts"
import type { Db } from "./schema/index.ts"
import type { EventsTable } from "./schema/workspace-tables.ts"
import type { Origin, Told, Unit } from "./store.ts"

/** What a change has to say to the log, kept until its last act. */
export interface Appended {
  readonly origin: Origin
  readonly events: readonly NewEvent[]
  readonly told: Told | undefined
}

/** The rows of some events, without the positions they will have. */
export function eventRows({ origin, events }: Appended): Omit<EventsTable, "id">[] {
  return events.map((event) => ({
    workspaceUuid: origin.workspaceUuid,
    at: origin.at,
    kind: event.kind,
    entityType: event.entityType,
    entityUuid: event.entityUuid,
    projectUuid: event.projectUuid,
    action: event.action,
    patch: JSON.stringify(event.patch),
    actorType: origin.actor.type,
    actorUuid: origin.actor.uuid,
    actorName: origin.actor.name,
    requestId: origin.requestId,
  }))
}

const COLUMNS = [
  "workspaceUuid",
  "at",
  "kind",
  "entityType",
  "entityUuid",
  "projectUuid",
  "action",
  "patch",
  "actorType",
  "actorUuid",
  "actorName",
  "requestId",
] as const

/** Writes events where one change at a time is under way; answers with the position of the last. */
export function eventWriter(database: DatabaseSync): (appended: Appended) => number {
  const count = database.prepare(
    `update workspaces set "lastEvent" = "lastEvent" + ? where "uuid" = ? returning "lastEvent"`,
  )
  const names = COLUMNS.map((name) => `"${name}"`).join(", ")
  const add = database.prepare(`insert into events ("id", ${names}) values (?${", ?".repeat(COLUMNS.length)})`)
  return (appended) => {
    const rows = eventRows(appended)
    const counted = count.get(rows.length, appended.origin.workspaceUuid)
    if (counted === undefined) throw new Error(`no result: no workspace ${appended.origin.workspaceUuid}`)
    const last = Number(counted["lastEvent"])
    for (const [at, row] of rows.entries()) add.run(last - rows.length + 1 + at, ...COLUMNS.map((name) => row[name]))
    return last
  }
}

/** The next events after a position, in order. */
export async function eventsAfter(db: Db, workspaceUuid: string, position: number, limit: number): Promise<LogEvent[]> {
  const rows = await db
    .selectFrom("events")
    .selectAll()
    .where("workspaceUuid", "=", workspaceUuid)
    .where("id", ">", position)
    .orderBy("id")
    .limit(limit)
    .execute()
  return rows.map(toLogEvent)
}

/** What a reader of the log cares for; undefined is everything. */
export interface EventFilter {
  readonly kinds?: readonly string[] | undefined
  readonly projectUuids?: readonly string[] | undefined
}

/** Those of a stretch of the log that pass the filter, in order. However few they are, no more than the stretch is looked at. */
export async function eventsWithin(
  db: Db,
  workspaceUuid: string,
  stretch: { readonly after: number; readonly upTo: number },
  { kinds, projectUuids }: EventFilter = {},
): Promise<LogEvent[]> {
  let query = db
    .selectFrom("events")
    .selectAll()
    .where("workspaceUuid", "=", workspaceUuid)
    .where("id", ">", stretch.after)
    .where("id", "<=", stretch.upTo)
  if (kinds !== undefined) query = query.where("kind", "in", [...kinds])
  if (projectUuids !== undefined)
    query = query.where(({ or, eb }) =>
      or([eb("projectUuid", "in", [...projectUuids]), eb("entityType", "=", "notification")]),
    )
  return (await query.orderBy("id").execute()).map(toLogEvent)
}

export async function lastPosition(db: Db, workspaceUuid: string): Promise<number> {
  return (await findCounter(db, workspaceUuid))?.lastEvent ?? 0
}

const findCounter = askedOften((db, workspaceUuid) =>
  db.selectFrom("workspaces").select("lastEvent").where("uuid", "=", workspaceUuid),
)

/** How many events one step of pruning drops at most: a change that others can wait for. */
export const PRUNED_AT_ONCE = 2000

/** Drops the oldest events as long as they are older than the given time, a step's worth; returns how many went. */
export async function pruneEvents(unit: Unit, workspaceUuid: string, before: string): Promise<number> {
  const oldest = await unit.db
    .selectFrom("events")
    .select(["id", "at"])
    .where("workspaceUuid", "=", workspaceUuid)
    .orderBy("id")
    .limit(PRUNED_AT_ONCE)
    .execute()
  const kept = oldest.findIndex(({ at }) => at >= before)
  const last = (kept === -1 ? oldest : oldest.slice(0, kept)).at(-1)
  if (last === undefined) return 0
  const result = await unit.db
    .deleteFrom("events")
    .where("workspaceUuid", "=", workspaceUuid)
    .where("id", "<=", last.id)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

/** A line as it was written, by this version or another: what it holds is told by its entity. */
export function toLogEvent(row: EventsTable): LogEvent {
  const line = {
    id: row.id,
    at: row.at,
    kind: row.kind,
    entityType: row.entityType,
    entityUuid: row.entityUuid,
    projectUuid: row.projectUuid,
    action: row.action,
    patch: JSON.parse(row.patch),
    actor: { type: row.actorType, uuid: row.actorUuid, name: row.actorName },
    requestId: row.requestId,
  }
  return line as LogEvent
}
