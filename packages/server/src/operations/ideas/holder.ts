import { ChorusError } from "@chorus/contracts"
import { type Holder, holds } from "@chorus/core"
import type { Db, Schema } from "@chorus/store"
import type { Actor } from "../../actor.ts"
import { namesOf } from "../../names.ts"

/** Whether the caller may act as the holder: the holder itself, an agent of the person who holds it, or the person who owns the holding agent. */
export async function actsAsHolder(db: Db, actor: Actor, holder: Holder): Promise<boolean> {
  if (actor.type === "system" || holds(actor, holder)) return true
  if (actor.type !== "user" || holder.assigneeType !== "agent" || holder.assigneeUuid === null) return false
  const agent = await db
    .selectFrom("agents")
    .select("ownerUuid")
    .where("uuid", "=", holder.assigneeUuid)
    .executeTakeFirst()
  return agent?.ownerUuid === actor.uuid
}

/** Refuses whoever does not hold the idea, naming who does. */
export async function assertHoldsIdea(db: Db, actor: Actor, idea: Schema["ideas"]): Promise<void> {
  if (await actsAsHolder(db, actor, idea)) return
  const holder = (await namesOf(db, [idea.assigneeUuid]))(idea.assigneeType, idea.assigneeUuid)
  throw new ChorusError(
    "not_holder",
    holder === null ? `Nobody holds "${idea.title}" yet.` : `"${idea.title}" is held by ${holder.name}, not by you.`,
    {
      status: 403,
      next: holder === null ? "Claim the idea first." : "Let its holder do this, or have the idea assigned to you.",
      details: { ideaUuid: idea.uuid, holder },
    },
  )
}
