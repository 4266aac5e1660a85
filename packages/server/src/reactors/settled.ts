import type { EventKind, NewEvent } from "@chorus/contracts"
import { settledBy, settledByKind } from "@chorus/core"
import { askedOften } from "@chorus/store"
import type { OperationContext } from "../operation.ts"

type Unread = Awaited<ReturnType<typeof unread.all>>

const known = new WeakMap<OperationContext, Map<string, Promise<Unread>>>()

/**
 * Asks for what such a step of something will leave nobody to read, so that the question goes out with the step. What
 * this change itself tells is written after it, so nothing is missed.
 */
export function askSettled(context: OperationContext, kind: EventKind, uuid: string): void {
  const actions = settledByKind(kind)
  if (actions.length === 0) return
  const asked = known.get(context) ?? new Map<string, Promise<Unread>>()
  known.set(context, asked)
  if (asked.has(keyOf(kind, uuid))) return
  const rows = unread.all(context.db, uuid, ...actions)
  // A change that fails before anybody asks has its own error to tell.
  rows.catch(() => undefined)
  asked.set(keyOf(kind, uuid), rows)
}

/** What was settled has nothing left to read, so that nobody is sent after it or told of it a second time. */
export async function readSettled(context: OperationContext, events: readonly NewEvent[]): Promise<void> {
  const read = new Set<string>()
  for (const event of events) {
    if (settledBy(event).length === 0) continue
    const key = keyOf(event.kind, event.entityUuid)
    if (known.get(context)?.has(key) !== true) askSettled(context, event.kind, event.entityUuid)
    for (const row of (await known.get(context)?.get(key)) ?? []) {
      // Two steps of one change may settle the same.
      if (!read.has(row.uuid)) await putAway(context, row, { readAt: context.now })
      read.add(row.uuid)
    }
  }
}

const unread = askedOften((db, entityUuid, ...actions) =>
  db
    .selectFrom("notifications")
    .select(["uuid", "recipientUuid"])
    .where("entityUuid", "=", entityUuid)
    .where("readAt", "is", null)
    .where("archivedAt", "is", null)
    .where("action", "in", actions),
)

function keyOf(kind: EventKind, uuid: string): string {
  return `${kind} ${uuid}`
}

export async function putAway(
  { db, emit }: OperationContext,
  { uuid, recipientUuid }: { uuid: string; recipientUuid: string },
  changes: { readAt: string; archivedAt?: string },
): Promise<void> {
  await db.updateTable("notifications").set(changes).where("uuid", "=", uuid).execute()
  emit({
    kind: changes.archivedAt === undefined ? "notification.read" : "notification.archived",
    entityType: "notification",
    entityUuid: uuid,
    projectUuid: null,
    action: "updated",
    patch: { recipientUuid, ...changes },
  })
}
