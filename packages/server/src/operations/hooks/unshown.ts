import type { HookEvent, HookOutput } from "@chorus/contracts"
import { sql } from "kysely"
import type { OperationContext } from "../../operation.ts"
import { findMain } from "./claude-session.ts"

type Unshown = NonNullable<NonNullable<HookOutput["chorus"]>["changes"]>

const MOST = 5

/**
 * What this terminal's sessions have handed in and nobody has shown the lines of yet, each with when its work began.
 */
export async function unshown(context: OperationContext, event: HookEvent): Promise<Unshown> {
  const main = await findMain(context, event)
  if (main === undefined) return []
  return context.db
    .selectFrom("checkins as c")
    .innerJoin("sessions as s", "s.uuid", "c.sessionUuid")
    .innerJoin("tasks as t", "t.uuid", "c.taskUuid")
    .select(["t.uuid as taskUuid", sql<string>`min(c."checkinAt")`.as("since")])
    .where(({ or, eb }) => or([eb("s.uuid", "=", main.uuid), eb("s.parentUuid", "=", main.uuid)]))
    .where("c.checkoutReason", "=", "task_submitted")
    .where("t.status", "=", "to_verify")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("changeVersions as v")
            .select("v.uuid")
            .whereRef("v.taskUuid", "=", "t.uuid")
            .whereRef("v.createdAt", ">=", "c.checkinAt"),
        ),
      ),
    )
    .groupBy("t.uuid")
    .orderBy("since")
    .limit(MOST)
    .execute()
}

/** The tasks that this very event checked a session of this terminal in on. */
export async function begun(context: OperationContext, event: HookEvent): Promise<string[]> {
  const main = await findMain(context, event)
  if (main === undefined) return []
  const rows = await context.db
    .selectFrom("checkins as c")
    .innerJoin("sessions as s", "s.uuid", "c.sessionUuid")
    .select("c.taskUuid")
    .distinct()
    .where(({ or, eb }) => or([eb("s.uuid", "=", main.uuid), eb("s.parentUuid", "=", main.uuid)]))
    .where("c.checkinAt", "=", context.now)
    .execute()
  return rows.map(({ taskUuid }) => taskUuid)
}
