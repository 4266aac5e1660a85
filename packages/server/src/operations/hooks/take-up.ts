import { holds } from "@chorus/core"
import { attempt } from "../../attempt.ts"
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
  if (obstacle !== undefined) return refused(context, task, obstacle)
  const started = await attempt(context, async (own) => begin(own, task, await touchOwnSession(own, session.uuid)))
  if (started.refused !== undefined) return refused(context, task, started.refused.message)
  const brief = started.done
  return { begun: true, words: `${briefText(brief)}\n\n${closingRules(brief.task.acceptanceCriteriaItems)}` }
}

async function refused(context: OperationContext, task: TaskRecord, obstacle: string) {
  const brief = briefText(await briefOf(context, task, null))
  const words = `${brief}\n\nChorus did not start this task for you: ${obstacle} Do not change its files unless you were told to; say so in your last message.`
  return { begun: false, words, obstacle }
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
