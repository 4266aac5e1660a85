import { type HookEvent, type HookOutput, SessionId, TaskId } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import { selectCheckins, type SessionRecord } from "../sessions/session-record.ts"
import { reportUpTo } from "../usage/usage.ts"
import {
  findAgent,
  findByName,
  findMain,
  formerAgent,
  formerSelf,
  markedSession,
  memberInPane,
} from "./claude-session.ts"
import { wordsOf } from "./event-field.ts"

/**
 * A transcript tells what its agent used from its beginning on, whenever it is read; what is new in it was used for the
 * task that the agent was last at.
 */
export async function agentUsed(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const prompt = wordsOf(event.transcript_head)
  const present = (await findAgent(context, event)) ?? (await markedSession(context, event, prompt))
  const former =
    present === undefined && event.agent_id !== undefined
      ? ((await formerAgent(context, event)) ?? (await formerSelf(context, event, false)))
      : undefined
  const session = present ?? former?.session ?? (await otherwiseKnown(context, event))
  if (session === undefined) return {}
  let stays = selectCheckins(context.db).where("c.sessionUuid", "=", session.uuid).orderBy("c.checkinAt", "desc")
  if (former !== undefined)
    stays = stays.where("c.checkinAt", ">=", former.stayed.from).where("c.checkinAt", "<", former.stayed.until)
  const stay = await stays.executeTakeFirst()
  for (const { model, ...used } of event.usage ?? []) {
    await reportUpTo(context, `${event.session_id}/${event.agent_id ?? ""}`, {
      ...used,
      sessionUuid: SessionId.parse(session.uuid),
      ...(stay === undefined ? {} : { taskUuid: TaskId.parse(stay.taskUuid) }),
      model: model.slice(0, 120),
      source: "hook",
    })
  }
  return {}
}

/** A member of a team that its program calls by another id each turn, or the terminal itself. */
async function otherwiseKnown(context: OperationContext, event: HookEvent): Promise<SessionRecord | undefined> {
  if (event.agent_id !== undefined) return findByName(context, event)
  const main = await findMain(context, event)
  return (await memberInPane(context, main)) ?? main
}
