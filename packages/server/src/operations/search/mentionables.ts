import { search } from "@chorus/contracts"
import { sql } from "kysely"
import { operation } from "../../operation.ts"
import { heardLately } from "../task-work/settings.ts"

export const searchMentionables = operation(search.searchMentionables, async (context, { query, limit }) => {
  const { db, actor } = context
  const pattern = `%${query
    .trim()
    .toLowerCase()
    .replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`
  const holds = (column: "name" | "email") =>
    sql<boolean>`lower(coalesce(${sql.ref(column)}, '')) like ${pattern} escape '\\'`
  const people = await db
    .selectFrom("users")
    .select(["uuid", "name"])
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("disabledAt", "is", null)
    // An agent that finds people by a part of their address finds out the address.
    .where(actor.type === "agent" ? holds("name") : ({ or }) => or([holds("name"), holds("email")]))
    .orderBy("name")
    .orderBy("uuid")
    .limit(limit)
    .execute()
  const alive = await heardLately(context)
  let agents = db
    .selectFrom("agents as a")
    .select(["a.uuid", "a.name"])
    .select(
      sql<number>`(select count(*) from sessions s where s."agentUuid" = a."uuid" and s."status" = 'active' and ${alive})`.as(
        "activeCount",
      ),
    )
    .where("a.workspaceUuid", "=", actor.workspaceUuid)
    .where("a.archivedAt", "is", null)
    .where(sql<boolean>`lower(a."name") like ${pattern} escape '\\'`)
  // An agent mentions the agents of its own person only.
  if (actor.type === "agent") agents = agents.where("a.ownerUuid", "=", actor.ownerUuid)
  const found = await agents.orderBy("activeCount", "desc").orderBy("a.name").orderBy("a.uuid").limit(limit).execute()
  const results = [
    ...found.map((agent) => ({ ...agent, type: "agent" as const, online: agent.activeCount > 0 })),
    ...people.map((person) => ({ ...person, type: "user" as const, online: false, activeCount: 0 })),
  ]
    .sort((a, b) => Number(b.online) - Number(a.online))
    .slice(0, limit)
    .map((each) => ({ ...each, mention: `@[${each.name.replace(/[[\]\n]/g, " ")}](${each.type}:${each.uuid})` }))
  return { results, returned: results.length }
})
