import type { TeamOrder } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"

/**
 * Orders to land a member's work that failed are dealt with once they are given anew, or nobody can be given them any
 * more: they wait for nobody then. Of one member, or of the whole team.
 */
export async function dismissFailedLandings(
  { db, emit }: OperationContext,
  teamUuid: string,
  member?: string,
): Promise<void> {
  const dead = await db
    .selectFrom("deliveries")
    .select(["uuid", "payload"])
    .where("tag", "=", `team:${teamUuid}`)
    .where("kind", "=", "order")
    .where("state", "=", "dead")
    .execute()
  for (const { uuid, payload } of dead) {
    const { decision } = JSON.parse(payload) as { decision: TeamOrder }
    if (decision.decision !== "land" || (member !== undefined && decision.member !== member)) continue
    await db.deleteFrom("deliveries").where("uuid", "=", uuid).execute()
    emit({
      kind: "delivery.dismissed",
      entityType: "delivery",
      entityUuid: uuid,
      projectUuid: null,
      action: "deleted",
      patch: {},
    })
  }
}
