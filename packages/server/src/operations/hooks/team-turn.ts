import type { HookEvent, HookOutput } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import { checkOutAll, touch } from "../sessions/session-record.ts"
import { findAgent, findMain, findMember, knowTeammate } from "./claude-session.ts"
import { cleaned } from "./event-field.ts"
import { handIn } from "./agent-end.ts"
import { namedTask, taggedTask } from "./named-task.ts"

/** A member of a team waits for its next message: a sign of life, told to nobody. */
export async function memberIdle(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const member = await sessionOf(context, event)
  const sessions = [member && (await knowTeammate(context, member)), await findMain(context, event)]
  for (const session of sessions) if (session?.status === "active") await touch(context, session)
  return {}
}

/** A task of the program's own list is completed; where it is tagged `chorus:task:<uuid>`, so is that task's work. */
export async function taskCompleted(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const text = `${event.task_subject ?? ""}\n${event.task_description ?? ""}`
  if (taggedTask(text) === undefined) return {}
  const { task } = await namedTask(context, text)
  const session = (await sessionOf(context, event)) ?? (await findMain(context, event))
  if (task === undefined || session === undefined) return {}
  if (session.lastWords !== null || event.task_subject !== undefined) {
    await handIn(context, session, cleaned(`DONE: ${event.task_subject ?? ""}\n\n${session.lastWords ?? ""}`))
  }
  await checkOutAll(context, { sessionUuid: session.uuid, taskUuid: task.uuid }, "checked_out")
  return {}
}

async function sessionOf(context: OperationContext, event: HookEvent) {
  return (await findAgent(context, event)) ?? findMember(context, event)
}
