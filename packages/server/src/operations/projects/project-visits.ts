import { projectVisits } from "@chorus/contracts"
import { operation, type OperationContext } from "../../operation.ts"

const MOST_REMEMBERED = 100

/** These are one person's own and change nothing that others see, so the log does not tell of them. */
export const listVisits = operation(projectVisits.listVisits, async ({ db, actor }) => {
  const visits = await db
    .selectFrom("projectVisits as v")
    .innerJoin("projects as p", "p.uuid", "v.projectUuid")
    .select(["v.projectUuid", "v.lastVisitedAt", "v.pinnedAt"])
    .where("v.userUuid", "=", actor.uuid)
    .where("p.status", "=", "active")
    .orderBy((order) => order.case().when("v.pinnedAt", "is", null).then(1).else(0).end())
    .orderBy("v.lastVisitedAt", "desc")
    .limit(MOST_REMEMBERED)
    .execute()
  return { visits }
})

export const visitProject = operation(projectVisits.visitProject, (context, { projectUuid }) =>
  remember(context, projectUuid, {}),
)

export const pinProject = operation(projectVisits.pinProject, (context, { projectUuid, pinned }) =>
  remember(context, projectUuid, { pinnedAt: pinned ? context.now : null }),
)

function remember({ db, actor, now }: OperationContext, projectUuid: string, change: { pinnedAt?: string | null }) {
  return db
    .insertInto("projectVisits")
    .values({ userUuid: actor.uuid, projectUuid, lastVisitedAt: now, pinnedAt: change.pinnedAt ?? null })
    .onConflict((conflict) =>
      conflict.columns(["userUuid", "projectUuid"]).doUpdateSet({ lastVisitedAt: now, ...change }),
    )
    .returning(["projectUuid", "lastVisitedAt", "pinnedAt"])
    .executeTakeFirstOrThrow()
}
