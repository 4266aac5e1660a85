import type { HookEvent, HookOutput } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import { checkOutAll, touch } from "../sessions/session-record.ts"
import { close } from "../sessions/sessions.ts"
import { change, findAgent, findMain, findMember, knowTeammate } from "./claude-session.ts"
import { cleaned, fieldsOf } from "./event-field.ts"
import { handIn, memberReported } from "./agent-end.ts"
import { namedTask, taggedTask } from "./named-task.ts"

/**
 * A member of a team waits for its next message: a sign of life. One in a pane of its own is a terminal that says its words when its turn
 * ends, and only here whose they are.
 */
export async function memberIdle(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const found = await sessionOf(context, event)
  const member = found && (await knowTeammate(context, found))
  const main = await findMain(context, event)
  for (const session of [member, main]) if (session?.status === "active") await touch(context, session)
  const inPane = (event.agent_id ?? "") === "" && main !== undefined && main.uuid !== member?.parentUuid
  if (member === undefined || !inPane) return {}
  // It ends with its pane.
  if (main.spawnedByUuid === null) await change(context, main, { spawnedByUuid: member.uuid })
  return memberReported(context, member, main.lastWords ?? "")
}

/** A member agrees to be shut down: it says so in a message and is gone. */
export async function memberLeaves(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const input = fieldsOf(event.tool_input) ?? {}
  const said = fieldsOf(input["message"]) ?? input
  const member = await findAgent(context, event)
  if (said["type"] === "shutdown_response" && said["approve"] === true && member !== undefined)
    await close(context, member)
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
