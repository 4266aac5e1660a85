import type { OperationContext } from "../../operation.ts"
import { selectCheckins, type SessionRecord } from "../sessions/session-record.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { takenUpAt } from "./claude-session.ts"

const MOST_READY = 5

/**
 * How the task stands that whoever is in the session now worked on last, and what can be started now; a line for the
 * lead. What an earlier one of that name worked on is not theirs.
 */
export async function standingOf(context: OperationContext, session: SessionRecord): Promise<string> {
  const { db } = context
  const stay = await selectCheckins(db)
    .where("c.sessionUuid", "=", session.uuid)
    .where("c.checkinAt", ">=", takenUpAt(session))
    .orderBy("c.checkinAt", "desc")
    .executeTakeFirst()
  if (stay === undefined) return ""
  const task = await findTask(db, stay.taskUuid)
  const ready = await db
    .selectFrom("tasks")
    .select(["uuid", "shortId", "title"])
    .where("projectUuid", "=", task.projectUuid)
    .where("status", "=", "open")
    .where("openDependencies", "=", 0)
    .orderBy("createdAt")
    .orderBy("uuid")
    .limit(MOST_READY)
    .execute()
  const next = ready.length === 0 ? "" : ` Ready to start: ${ready.map(named).join(", ")}.`
  return `Chorus: ${named(task)} ${STANDING[task.status]}.${next}`
}

/** By the id that people use, and a mark in a prompt. */
function named({ uuid, shortId, title }: Pick<TaskRecord, "uuid" | "shortId" | "title">): string {
  return `"${title}" (${shortId ?? uuid})`
}

const STANDING = {
  open: "is open again",
  assigned: "is assigned and not started",
  in_progress: "is still in progress: its report is stored, but it was not handed in",
  to_verify: "is handed in and waits for verification",
  done: "is done",
  closed: "is closed",
} as const
