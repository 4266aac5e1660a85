import type { HookEvent } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import { findMain } from "./claude-session.ts"

/**
 * The sub-agents of this terminal that this very event ended: they were killed, stopped, or failed by their model, and
 * no event of their own told of it.
 */
export async function lost(context: OperationContext, event: HookEvent): Promise<string[]> {
  const main = await findMain(context, event)
  if (main === undefined) return []
  const ended = await context.db
    .selectFrom("sessions")
    .select(["uuid", "externalId"])
    .where("parentUuid", "=", main.uuid)
    .where("status", "=", "closed")
    .where("closedAt", "=", context.now)
    .execute()
  // One whose call has not returned is known by the call alone, and its transcript by the mark in its prompt.
  return ended.flatMap(({ uuid, externalId }) => [uuid, ...(agentIn(externalId) ?? [])])
}

function agentIn(externalId: string | null): [string] | undefined {
  const id = externalId?.split("/").at(-1) ?? ""
  return id === "" || id.startsWith("toolu_") ? undefined : [id]
}
