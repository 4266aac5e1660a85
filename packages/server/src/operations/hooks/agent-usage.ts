import { type HookEvent, type HookOutput, SessionId, TaskId } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { sql } from "kysely"
import type { OperationContext } from "../../operation.ts"
import { selectCheckins, type SessionRecord } from "../sessions/session-record.ts"
import { report } from "../usage/usage.ts"
import { findAgent, findByName, findMain, formerAgent, memberInPane } from "./claude-session.ts"

const KINDS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens"] as const

/**
 * A transcript tells what its agent used from its beginning on, whenever it is read; what is new in it was used for the
 * task that the agent was last at.
 */
export async function agentUsed(context: OperationContext, event: HookEvent): Promise<HookOutput> {
  const { db, actor } = context
  const present = await findAgent(context, event)
  const former = present === undefined && event.agent_id !== undefined ? await formerAgent(context, event) : undefined
  const session = present ?? former?.session ?? (await otherwiseKnown(context, event))
  if (session === undefined) return {}
  let stays = selectCheckins(db).where("c.sessionUuid", "=", session.uuid).orderBy("c.checkinAt", "desc")
  if (former !== undefined)
    stays = stays.where("c.checkinAt", ">=", former.stayed.from).where("c.checkinAt", "<", former.stayed.until)
  const stay = await stays.executeTakeFirst()
  for (const { model, ...used } of event.usage ?? []) {
    const who = `${event.session_id}/${event.agent_id ?? ""}:${model}:`.slice(-180)
    await lock(context, `usage-of:${who}`)
    const known = await db
      .selectFrom("usages")
      .select(KINDS.map((kind) => sql<number>`coalesce(sum(${sql.ref(kind)}), 0)`.as(kind)))
      .where("agentUuid", "=", actor.uuid)
      .where(sql<boolean>`substr("dedupeKey", 1, ${who.length}) = ${who}`)
      .executeTakeFirstOrThrow()
    const fresh = (kind: (typeof KINDS)[number]) => Math.max(0, used[kind] - Number(known[kind]))
    if (KINDS.every((kind) => fresh(kind) === 0)) continue
    const total = KINDS.reduce((sum, kind) => sum + used[kind], 0)
    await report(context, {
      inputTokens: fresh("inputTokens"),
      outputTokens: fresh("outputTokens"),
      cacheReadTokens: fresh("cacheReadTokens"),
      cacheCreationTokens: fresh("cacheCreationTokens"),
      key: `${who}${total}`,
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
