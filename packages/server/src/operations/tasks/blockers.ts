import type { tasks } from "@chorus/contracts"
import { namesOf } from "../../names.ts"
import type { OperationContext } from "../../operation.ts"
import { inactiveBefore } from "../task-work/settings.ts"

/** The unfinished tasks this one waits for, who holds each and which session is at work on it. */
export async function blockersOf(
  context: Pick<OperationContext, "db" | "actor" | "now">,
  taskUuid: string,
): Promise<tasks.Blocker[]> {
  const { db } = context
  const rows = await db
    .selectFrom("taskEdges as e")
    .innerJoin("tasks as t", "t.uuid", "e.dependsOnUuid")
    .select(["t.uuid", "t.title", "t.status", "t.assigneeType", "t.assigneeUuid"])
    .where("e.taskUuid", "=", taskUuid)
    .where("t.status", "not in", ["done", "closed"])
    .orderBy("t.createdAt")
    .orderBy("t.uuid")
    .execute()
  if (rows.length === 0) return []
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.assigneeUuid),
  )
  const atWork = await db
    .selectFrom("checkins as c")
    .innerJoin("sessions as s", "s.uuid", "c.sessionUuid")
    .select(["c.taskUuid", "s.uuid", "s.name"])
    .where(
      "c.taskUuid",
      "in",
      rows.map((row) => row.uuid),
    )
    .where("c.checkoutAt", "is", null)
    .where("s.status", "=", "active")
    .where("s.lastActiveAt", ">", await inactiveBefore(context))
    .orderBy("s.lastActiveAt", "desc")
    .execute()
  return rows.map(({ uuid, title, status, assigneeType, assigneeUuid }) => {
    const session = atWork.find((stay) => stay.taskUuid === uuid)
    return {
      uuid,
      title,
      status,
      assignee: nameOf(assigneeType, assigneeUuid),
      activeSession: session === undefined ? null : { uuid: session.uuid, name: session.name },
    }
  })
}
