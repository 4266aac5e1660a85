import { ChorusError } from "@chorus/contracts"
import { holds } from "@chorus/core"
import { sql } from "kysely"
import type { OperationContext } from "../../operation.ts"
import { isArchived } from "../projects/project-row.ts"
import { type SessionRecord, touchOwnSession } from "../sessions/session-record.ts"
import { blockersOf } from "../tasks/task-step.ts"
import { holderOf, type TaskRecord } from "../tasks/task-record.ts"
import { briefOf } from "../task-work/brief.ts"
import { begin } from "../task-work/work.ts"
import { briefText, closingRules } from "./brief-text.ts"

/** Puts a session to work on a task and says so in words; where that cannot be, says why, and nothing is changed. */
export async function takeUp(
  context: OperationContext,
  task: TaskRecord,
  session: SessionRecord,
): Promise<{ begun: boolean; words: string; obstacle?: string }> {
  const obstacle = await obstacleTo(context, task)
  const brief =
    obstacle ??
    (await unlessRefused(context, async (attempt) =>
      begin(attempt, task, await touchOwnSession(attempt, session.uuid)),
    ))
  if (typeof brief === "string") return { begun: false, words: await refusal(context, task, brief), obstacle: brief }
  return { begun: true, words: `${briefText(brief)}\n\n${closingRules(brief.task.acceptanceCriteriaItems)}` }
}

/** What the work gives, or why it was refused; then whatever it had written by that time is undone and untold. */
async function unlessRefused<T>(
  context: OperationContext,
  work: (attempt: OperationContext) => Promise<T>,
): Promise<T | string> {
  const { db } = context
  const events: Parameters<OperationContext["emit"]>[0][] = []
  const later: (() => void)[] = []
  await sql`savepoint attempt`.execute(db)
  try {
    const done = await work({ ...context, emit: (event) => events.push(event), afterCommit: (run) => later.push(run) })
    await sql`release savepoint attempt`.execute(db)
    for (const event of events) context.emit(event)
    for (const run of later) context.afterCommit(run)
    return done
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    await sql`rollback to savepoint attempt`.execute(db)
    await sql`release savepoint attempt`.execute(db)
    return error.message
  }
}

async function refusal(context: OperationContext, task: TaskRecord, why: string): Promise<string> {
  return `${briefText(await briefOf(context, task, null))}\n\nChorus did not start this task for you: ${why} Do not change its files unless you were told to; say so in your last message.`
}

async function obstacleTo(context: OperationContext, task: TaskRecord): Promise<string | undefined> {
  if (!context.actor.permissions.has("task:write")) return "this key may not work on tasks."
  if (task.status === "to_verify") return "it has been handed in and waits for verification."
  if (task.status === "done" || task.status === "closed") return `it is ${task.status}.`
  if (task.status === "open" && (await isArchived(context.db, task.projectUuid))) return "its project is archived."
  if (task.status !== "open" && !holds(context.actor, task))
    return `${(await holderOf(context.db, task))?.name ?? "somebody else"} holds it.`
  if (task.status === "in_progress" || task.openDependencies === 0) return undefined
  const blockers = await blockersOf(context, task.uuid)
  return `it waits for ${blockers.map((blocker) => `"${blocker.title}" (${blocker.status.replace("_", " ")})`).join(", ")}.`
}
