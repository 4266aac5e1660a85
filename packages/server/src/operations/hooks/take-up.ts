import { ChorusError } from "@chorus/contracts"
import { holds } from "@chorus/core"
import type { OperationContext } from "../../operation.ts"
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
): Promise<{ begun: boolean; words: string }> {
  const obstacle = await obstacleTo(context, task)
  if (obstacle === undefined) {
    try {
      const brief = await begin(context, task, await touchOwnSession(context, session.uuid))
      return { begun: true, words: `${briefText(brief)}\n\n${closingRules(brief.task.acceptanceCriteriaItems.length)}` }
    } catch (error) {
      // Refusals are made before anything is written.
      if (!(error instanceof ChorusError)) throw error
      return { begun: false, words: await refusal(context, task, error.message) }
    }
  }
  return { begun: false, words: await refusal(context, task, obstacle) }
}

async function refusal(context: OperationContext, task: TaskRecord, why: string): Promise<string> {
  return `${briefText(await briefOf(context, task, null))}\n\nChorus did not start this task for you: ${why} Do not change its files unless you were told to; say so in your last message.`
}

async function obstacleTo(context: OperationContext, task: TaskRecord): Promise<string | undefined> {
  if (!context.actor.permissions.has("task:write")) return "this key may not work on tasks."
  if (task.status === "to_verify") return "it has been handed in and waits for verification."
  if (task.status === "done" || task.status === "closed") return `it is ${task.status}.`
  if (task.status !== "open" && !holds(context.actor, task))
    return `${(await holderOf(context.db, task))?.name ?? "somebody else"} holds it.`
  if (task.status === "in_progress" || task.openDependencies === 0) return undefined
  const blockers = await blockersOf(context, task.uuid)
  return `it waits for ${blockers.map((blocker) => `"${blocker.title}" (${blocker.status})`).join(", ")}.`
}
