import type { sessions } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"

/** Stays with what a reader needs to show them; narrow it with `where`. */
export function selectCheckins(db: Db) {
  return db
    .selectFrom("checkins as c")
    .innerJoin("sessions as s", "s.uuid", "c.sessionUuid")
    .innerJoin("agents as a", "a.uuid", "s.agentUuid")
    .select([
      "c.uuid",
      "c.sessionUuid",
      "s.name as sessionName",
      "s.agentUuid",
      "a.name as agentName",
      "c.taskUuid",
      "c.checkinAt",
      "c.checkoutAt",
      "c.checkoutReason",
    ])
}

type CheckinRecord = Awaited<ReturnType<ReturnType<typeof selectCheckins>["execute"]>>[number]

export function checkinRow({ agentUuid, agentName, ...rest }: CheckinRecord): sessions.CheckinRow {
  return { ...rest, agent: { type: "agent", uuid: agentUuid, name: agentName } }
}

/** Ends every open stay on a task, of a session, or of that session on that task; returns how many there were. */
export async function checkOutAll(
  context: OperationContext,
  which: { taskUuid?: string; sessionUuid?: string },
  reason: string,
): Promise<number> {
  const { db, now, emit } = context
  let query = db
    .updateTable("checkins")
    .set({ checkoutAt: now, checkoutReason: reason })
    .where("checkoutAt", "is", null)
  if (which.taskUuid !== undefined) query = query.where("taskUuid", "=", which.taskUuid)
  if (which.sessionUuid !== undefined) query = query.where("sessionUuid", "=", which.sessionUuid)
  const ended = await query.returning("uuid").execute()
  if (ended.length === 0) return 0
  const rows = await selectCheckins(db)
    .innerJoin("tasks as t", "t.uuid", "c.taskUuid")
    .select("t.projectUuid")
    .where(
      "c.uuid",
      "in",
      ended.map((row) => row.uuid),
    )
    .execute()
  for (const { projectUuid, ...record } of rows) {
    emit({
      kind: "session.checked_out",
      entityType: "checkin",
      entityUuid: record.uuid,
      projectUuid,
      action: "updated",
      patch: checkinRow(record),
    })
  }
  return ended.length
}
