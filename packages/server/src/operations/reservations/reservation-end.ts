import type { EventKind, reservations } from "@chorus/contracts"
import type { Schema } from "@chorus/store"
import { type NameOf, namesOf, type OperationContext } from "../../operation.ts"

export function reservationRow(record: Schema["reservations"], nameOf: NameOf): reservations.ReservationRow {
  const { agentUuid, ...rest } = record
  return { ...rest, agent: nameOf("agent", agentUuid) ?? { type: "agent", uuid: agentUuid, name: "unknown" } }
}

export async function reservationRows(
  { db }: Pick<OperationContext, "db">,
  records: readonly Schema["reservations"][],
): Promise<reservations.ReservationRow[]> {
  const nameOf = await namesOf(
    db,
    records.map((record) => record.agentUuid),
  )
  return records.map((record) => reservationRow(record, nameOf))
}

/** Releases a task's reservations, all or those of the named globs; returns how many were still held. */
export async function endReservations(
  context: OperationContext,
  which: { taskUuid: string; globs?: readonly string[] | undefined },
  reason: "released" | "task_ended",
): Promise<number> {
  const { db, now } = context
  let query = db
    .updateTable("reservations")
    .set({ releasedAt: now, releaseReason: reason })
    .where("taskUuid", "=", which.taskUuid)
    .where("releasedAt", "is", null)
  if (which.globs !== undefined) query = query.where("glob", "in", which.globs)
  const ended = await query.returningAll().execute()
  announceEnd(context, ended, "reservation.released")
  return ended.length
}

/** Marks what ran out in a project, or in the whole workspace, at the time it did. */
export async function expireReservations(context: OperationContext, projectUuid?: string): Promise<number> {
  const { db, actor, now } = context
  let query = db
    .updateTable("reservations")
    .set(({ ref }) => ({ releasedAt: ref("expiresAt"), releaseReason: "expired" as const }))
    .where("releasedAt", "is", null)
    .where("expiresAt", "<=", now)
  query =
    projectUuid === undefined
      ? query.where(
          "projectUuid",
          "in",
          db.selectFrom("projects").select("uuid").where("workspaceUuid", "=", actor.workspaceUuid),
        )
      : query.where("projectUuid", "=", projectUuid)
  const ended = await query.returningAll().execute()
  announceEnd(context, ended, "reservation.expired")
  return ended.length
}

function announceEnd({ emit }: OperationContext, ended: readonly Schema["reservations"][], kind: EventKind): void {
  for (const { uuid, projectUuid, taskUuid, glob, releasedAt, releaseReason } of ended) {
    emit({
      kind,
      entityType: "reservation",
      entityUuid: uuid,
      projectUuid,
      action: "updated",
      patch: { taskUuid, glob, releasedAt, releaseReason },
    })
  }
}
