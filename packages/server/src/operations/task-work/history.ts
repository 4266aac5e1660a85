import { type criteria, work } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import { namesOf, operation } from "../../operation.ts"
import { reservationRows } from "../reservations/reservations.ts"
import { leaseOn } from "../sessions/lease.ts"
import { checkinRow, selectCheckins, sessionRow } from "../sessions/session-record.ts"
import { handInsOf } from "../tasks/hand-in.ts"
import { reportsOf } from "../tasks/task-detail.ts"
import { findTask } from "../tasks/task-record.ts"
import { workSettings } from "./settings.ts"

const MOST = 500

export const getTaskHistory = operation(work.getTaskHistory, async (context, { taskUuid }) => {
  const { db, actor, now } = context
  const task = await findTask(db, taskUuid)
  const stays = await selectCheckins(db)
    .where("c.taskUuid", "=", taskUuid)
    .orderBy("c.checkinAt", "desc")
    .orderBy("c.uuid")
    .limit(MOST)
    .execute()
  const sessionUuids = [...new Set(stays.map((stay) => stay.sessionUuid))]
  const sessions =
    sessionUuids.length === 0
      ? []
      : await db
          .selectFrom("sessions")
          .selectAll()
          .where("uuid", "in", sessionUuids)
          .orderBy("createdAt")
          .orderBy("uuid")
          .execute()
  const reservations = await db
    .selectFrom("reservations")
    .selectAll()
    .where("taskUuid", "=", taskUuid)
    .orderBy("createdAt", "desc")
    .orderBy("uuid")
    .limit(MOST)
    .execute()
  const { sessionInactiveMinutes } = await workSettings(db, actor.workspaceUuid)
  const lease = await leaseOn(context, task)
  return {
    checkins: stays.map(checkinRow),
    sessions: sessions.map((session) => sessionRow(session, now, sessionInactiveMinutes)),
    reports: await reportsOf(db, taskUuid, MOST),
    verdicts: await verdictsOn(db, taskUuid),
    reservations: await reservationRows(context, reservations),
    lease: {
      state: lease.state,
      at: lease.state === "held" ? lease.until : lease.state === "lapsed" ? lease.since : null,
    },
  }
})

async function verdictsOn(db: Db, taskUuid: string): Promise<criteria.VerdictRow[]> {
  const rows = await db
    .selectFrom("criterionVerdicts as v")
    .innerJoin("criteria as c", "c.uuid", "v.criterionUuid")
    .select([
      "v.uuid",
      "v.criterionUuid",
      "c.description as criterion",
      "v.track",
      "v.status",
      "v.evidence",
      "c.command",
      "v.exitCode",
      "v.output",
      "v.markedByType",
      "v.markedByUuid",
      "v.markedAt",
    ])
    .where("c.taskUuid", "=", taskUuid)
    .orderBy("v.markedAt", "desc")
    .orderBy("v.uuid")
    .limit(MOST)
    .execute()
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.markedByUuid),
  )
  const settled = (await handInsOf(db, taskUuid)).flatMap(({ decidedAt }) => decidedAt ?? [])
  return rows.map(({ markedByType, markedByUuid, command, ...rest }) => ({
    ...rest,
    handIn: 1 + settled.filter((at) => at < rest.markedAt).length,
    observed: command !== null && rest.status === "passed" && rest.exitCode === null && markedByType === "user",
    markedBy: nameOf(markedByType, markedByUuid),
  }))
}
