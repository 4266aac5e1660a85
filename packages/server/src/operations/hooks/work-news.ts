import { withinReach } from "../../may-see.ts"
import type { OperationContext } from "../../operation.ts"
import { markRead } from "../notifications/notifications.ts"
import type { SessionRecord } from "../sessions/session-record.ts"

/**
 * What others did to tasks that this session or a sub-agent of its stood at, and its agent has not read yet: taken back, rewritten, a file
 * added. What came before they stood there is no news to them. Saying it is reading it: what a hook says stands in the model's context.
 */
export async function newsOfWork(context: OperationContext, session: SessionRecord): Promise<string> {
  const rows = await context.db
    .selectFrom("notifications as n")
    .select(["n.uuid", "n.message"])
    .where("n.recipientUuid", "=", context.actor.uuid)
    .where(withinReach(context.actor, "n.projectUuid"))
    .where("n.action", "=", "changed")
    .where("n.readAt", "is", null)
    .where("n.archivedAt", "is", null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("checkins as c")
          .innerJoin("sessions as s", "s.uuid", "c.sessionUuid")
          .select("c.uuid")
          .whereRef("c.taskUuid", "=", "n.entityUuid")
          .whereRef("c.checkinAt", "<=", "n.createdAt")
          .where(({ or, eb }) => or([eb("s.uuid", "=", session.uuid), eb("s.parentUuid", "=", session.uuid)])),
      ),
    )
    .orderBy("n.createdAt")
    .orderBy("n.uuid")
    .execute()
  await markRead(
    context,
    rows.map(({ uuid }) => uuid),
  )
  return rows.map(({ message }) => message).join("\n")
}
