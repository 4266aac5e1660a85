import type { Db, Schema } from "@chorus/store"
import { sql } from "kysely"
import { notifications } from "@chorus/contracts"
import type { Actor } from "../../operation.ts"

export function notificationRow(row: Schema["notifications"]): notifications.NotificationRow {
  const { workspaceUuid: _, ...shown } = row
  return { ...shown, action: notifications.NotificationAction.parse(row.action) }
}

export async function unreadCount(db: Db, actor: Pick<Actor, "uuid">): Promise<number> {
  const { total } = await db
    .selectFrom("notifications")
    .select(sql<number>`count(*)`.as("total"))
    .where("recipientUuid", "=", actor.uuid)
    .where("readAt", "is", null)
    .where("archivedAt", "is", null)
    .executeTakeFirstOrThrow()
  return total
}
