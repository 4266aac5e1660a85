import { notifications } from "@chorus/contracts"
import { type Db, lock, type Schema } from "@chorus/store"
import { sql } from "kysely"
import { withinReach } from "../../may-see.ts"
import { type Actor, notFound, operation, type OperationContext } from "../../operation.ts"

export const getNotifications = operation(
  notifications.getNotifications,
  async (context, { status, limit, offset, afterNotificationUuid, autoMarkRead }) => {
    const { db, actor } = context
    let inbox = toldTo(db, actor).where("archivedAt", "is", null)
    if (status !== "all") inbox = inbox.where("readAt", status === "unread" ? "is" : "is not", null)
    const last = afterNotificationUuid === undefined ? undefined : await findOwn(context, afterNotificationUuid)
    const rows = await inbox
      .$if(last !== undefined, (all) =>
        all.where(sql<boolean>`("createdAt", "uuid") < (${last?.createdAt}, ${last?.uuid})`),
      )
      .selectAll()
      .orderBy("createdAt", "desc")
      .orderBy("uuid", "desc")
      .offset(offset)
      .limit(limit)
      .execute()
    const total = await countOf(db, inbox)
    if (autoMarkRead)
      await markRead(
        context,
        rows.map((row) => row.uuid),
      )
    return {
      notifications: rows.map(notificationRow),
      unreadCount: await unreadCount(db, actor),
      returned: rows.length,
      page: Math.floor(offset / limit) + 1,
      pageSize: limit,
      total,
    }
  },
)

export const markNotificationRead = operation(
  notifications.markNotificationRead,
  async (context, { notificationUuid, all }) => {
    const { db, actor } = context
    const named = notificationUuid === undefined ? [] : [(await findOwn(context, notificationUuid)).uuid]
    const marked = await markRead(context, all ? "all" : named)
    return { success: true as const, marked, unreadCount: await unreadCount(db, actor) }
  },
)

export const archiveNotification = operation(
  notifications.archiveNotification,
  async (context, { notificationUuid }) => {
    const { db, actor, now, emit } = context
    const before = await findOwn(context, notificationUuid)
    if (before.archivedAt !== null) return notificationRow(before)
    const changes = { archivedAt: now, readAt: before.readAt ?? now }
    const row = await db
      .updateTable("notifications")
      .set(changes)
      .where("uuid", "=", notificationUuid)
      .returningAll()
      .executeTakeFirstOrThrow()
    emit({
      kind: "notification.archived",
      entityType: "notification",
      entityUuid: row.uuid,
      projectUuid: null,
      action: "updated",
      patch: { recipientUuid: actor.uuid, ...changes },
    })
    return notificationRow(row)
  },
)

export const getNotificationPreferences = operation(notifications.getNotificationPreferences, ({ db, actor }) =>
  wishesOf(db, actor.uuid),
)

export const updateNotificationPreferences = operation(
  notifications.updateNotificationPreferences,
  async ({ db, engine, actor, now }, input) => {
    await lock({ db, engine }, `preferences:${actor.uuid}`)
    const before = await wishesOf(db, actor.uuid)
    const wishes = {
      preferences: { ...before.preferences, ...input.preferences },
      push: { ...before.push, ...input.push },
      digest: input.digest ?? before.digest,
    }
    const row = {
      preferences: JSON.stringify(wishes.preferences),
      push: JSON.stringify(wishes.push),
      digest: wishes.digest,
      // A summary begins where somebody asks for it, not with what lay there before.
      ...(wishes.digest === before.digest ? {} : { digestAt: now }),
      updatedAt: now,
    }
    await db
      .insertInto("notificationPreferences")
      .values({ digestAt: null, ...row, ownerType: actor.type === "agent" ? "agent" : "user", ownerUuid: actor.uuid })
      .onConflict((conflict) => conflict.columns(["ownerType", "ownerUuid"]).doUpdateSet(row))
      .execute()
    return wishes
  },
)

/**
 * Marks those still unread and tells the recipient's other windows. Those that are named are the caller's own, and are found by their
 * names: by whose they are, all that is unread would be looked through.
 */
export async function markRead(
  { db, actor, now, emit }: OperationContext,
  which: readonly string[] | "all",
): Promise<number> {
  if (which.length === 0) return 0
  const unread = db.updateTable("notifications").set({ readAt: now }).where("readAt", "is", null)
  const wanted =
    which === "all"
      ? unread.where("recipientUuid", "=", actor.uuid).where(withinReach(actor, "projectUuid"))
      : unread.where("uuid", "in", [...which])
  const rows = await wanted.returning("uuid").execute()
  for (const { uuid } of rows) {
    emit({
      kind: "notification.read",
      entityType: "notification",
      entityUuid: uuid,
      projectUuid: null,
      action: "updated",
      patch: { recipientUuid: actor.uuid, readAt: now },
    })
  }
  return rows.length
}

/** What somebody asked for, with what holds for whoever said nothing. */
export async function wishesOf(db: Db, ownerUuid: string) {
  const row = await db
    .selectFrom("notificationPreferences")
    .select(["preferences", "push", "digest"])
    .where("ownerUuid", "=", ownerUuid)
    .executeTakeFirst()
  return {
    preferences: whole(notifications.NotificationAction.options, row?.preferences, () => true),
    push: whole(notifications.CallKind.options, row?.push, isPushed),
    digest: row?.digest ?? ("off" as const),
  }
}

const PUSHED: ReadonlySet<notifications.CallKind> = new Set([
  "attention_requested",
  "task_submitted_for_verify",
  "terminal_finished",
])

/** At first people are called for what waits for them: an agent's question, and work to be verified; and when a terminal has finished. */
export function isPushed(kind: notifications.CallKind): boolean {
  return PUSHED.has(kind)
}

function whole<Kind extends string>(
  kinds: readonly Kind[],
  json: string | undefined,
  otherwise: (kind: Kind) => boolean,
): Record<Kind, boolean> {
  const said = JSON.parse(json ?? "{}") as Partial<Record<Kind, boolean>>
  return Object.fromEntries(kinds.map((kind) => [kind, said[kind] ?? otherwise(kind)])) as Record<Kind, boolean>
}

async function findOwn({ db, actor }: OperationContext, uuid: string): Promise<Schema["notifications"]> {
  const row = await toldTo(db, actor).selectAll().where("uuid", "=", uuid).executeTakeFirst()
  if (row === undefined) throw notFound("notification", uuid)
  return row
}

export function notificationRow(row: Schema["notifications"]): notifications.NotificationRow {
  const { workspaceUuid: _, ...shown } = row
  return { ...shown, action: notifications.NotificationAction.parse(row.action) }
}

/** An agent that was narrowed since reads no more of what it was told of other projects. */
export function toldTo(db: Db, actor: Actor) {
  return db.selectFrom("notifications").where("recipientUuid", "=", actor.uuid).where(withinReach(actor, "projectUuid"))
}

export function unreadCount(db: Db, actor: Actor): Promise<number> {
  return countOf(db, toldTo(db, actor).where("readAt", "is", null).where("archivedAt", "is", null))
}

/** Up to a thousand, so that whoever was told much for years waits no longer for it. */
async function countOf(db: Db, those: ReturnType<typeof toldTo>): Promise<number> {
  const { total } = await db
    .selectFrom(those.select("uuid").limit(notifications.MOST_COUNTED).as("some"))
    .select(sql<number>`count(*)`.as("total"))
    .executeTakeFirstOrThrow()
  return total
}
