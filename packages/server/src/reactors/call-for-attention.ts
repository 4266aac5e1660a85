import { pathOfWaiting } from "@chorus/core"
import { withdraw } from "../deliveries/outbox.ts"
import { isOfTerminal } from "../operations/attentions/attention-row.ts"
import { wishesOf } from "../operations/notifications/notifications.ts"
import { callPerson } from "../push/notice.ts"
import { wisherOf } from "./bonds.ts"
import type { Reactor } from "./reactor.ts"

/** A question of an agent calls the person it works for, and work that stands still the one who wanted it, until that is settled; their inbox has it in any case. */
export const callForAttention: Reactor = async (context, events) => {
  for (const event of events) {
    const { kind, entityUuid } = event
    const tag = `attention:${entityUuid}`
    if (kind === "attention.answered" || kind === "attention.withdrawn") await withdraw(context, "call", tag)
    if (kind !== "attention.created") continue
    const attention = await context.db
      .selectFrom("attentions as a")
      .leftJoin("agents as g", "g.uuid", "a.agentUuid")
      .select(["a.title", "g.name", "g.ownerUuid", "a.requestId"])
      .where("a.uuid", "=", entityUuid)
      .executeTakeFirst()
    // A terminal that waits calls by itself, and says there what it shows.
    const personUuid = wisherOf(event.patch)?.uuid ?? attention?.ownerUuid ?? null
    if (attention === undefined || personUuid === null || isOfTerminal(attention.requestId)) continue
    const { push } = await wishesOf(context.db, personUuid)
    if (!push.attention_requested) continue
    await callPerson(context, personUuid, {
      tag,
      title: `${attention.name ?? "Chorus"} needs you`,
      body: attention.title.slice(0, 300),
      path: pathOfWaiting(entityUuid),
    })
  }
}
