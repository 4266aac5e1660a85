import { ChorusError, sessions } from "@chorus/contracts"
import { isFinished } from "@chorus/core"
import { operation, type OperationContext } from "../../operation.ts"
import { claim } from "../tasks/claim.ts"
import { findTask, type TaskRecord } from "../tasks/task-row.ts"
import { checkinRow, checkOutAll, selectCheckins } from "./checkin-end.ts"
import { ownSession, touch, touchOwnSession } from "./own-session.ts"
import type { SessionRecord } from "./session-row.ts"

export const checkIn = operation(sessions.checkIn, async (context, { sessionUuid, taskUuid }) => {
  const session = await touchOwnSession(context, sessionUuid)
  const task = await findTask(context.db, taskUuid)
  const claims = task.status === "open" && context.actor.type === "agent" && context.actor.permissions.has("task:write")
  const held = claims ? await claim(context, task) : task
  const row = await beginStay(context, session, held)
  return { ...row, checkedInAt: row.checkinAt, claimed: claims }
})

export const checkOut = operation(sessions.checkOut, async (context, { sessionUuid, taskUuid }) => {
  const session = await ownSession(context, sessionUuid)
  if (session.status === "active") await touch(context, session)
  const ended = await checkOutAll(context, { sessionUuid, taskUuid }, "checked_out")
  return { sessionUuid, taskUuid, checkedOut: ended > 0, checkoutAt: ended > 0 ? context.now : null }
})

/** Begins a stay, or finds the one that is open; a session is at a task once. */
export async function beginStay(
  { db, now, newId, emit }: OperationContext,
  session: SessionRecord,
  task: TaskRecord,
): Promise<sessions.CheckinRow> {
  if (isFinished(task.status)) throw finished(task)
  const inserted = await db
    .insertInto("checkins")
    .values({
      uuid: newId(),
      sessionUuid: session.uuid,
      taskUuid: task.uuid,
      checkinAt: now,
      checkoutAt: null,
      checkoutReason: null,
    })
    .onConflict((conflict) => conflict.columns(["sessionUuid", "taskUuid"]).where("checkoutAt", "is", null).doNothing())
    .executeTakeFirst()
  const row = checkinRow(
    await selectCheckins(db)
      .where("c.sessionUuid", "=", session.uuid)
      .where("c.taskUuid", "=", task.uuid)
      .where("c.checkoutAt", "is", null)
      .executeTakeFirstOrThrow(),
  )
  if (inserted.numInsertedOrUpdatedRows === 1n) {
    emit({
      kind: "session.checked_in",
      entityType: "checkin",
      entityUuid: row.uuid,
      projectUuid: task.projectUuid,
      action: "created",
      patch: row,
    })
  }
  return row
}

function finished(task: TaskRecord): ChorusError {
  return new ChorusError("task_finished", `"${task.title}" is ${task.status}; nobody works on it any more.`, {
    status: 409,
    next: "Check in on another task, or have this one reopened.",
    details: { taskUuid: task.uuid, status: task.status },
  })
}
