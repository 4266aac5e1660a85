import { views } from "@chorus/contracts"
import type { Schema } from "@chorus/store"
import { forbidden, notFound, operation, type OperationContext, readPage } from "../../operation.ts"

/** A view that is one person's own is not told of in the log: others are not even to know its name. */
export const listViews = operation(views.listViews, async ({ db, actor }, input) => {
  const mine = db
    .selectFrom("views")
    .where("projectUuid", "=", input.projectUuid)
    .where(({ or, eb }) => or([eb("shared", "=", 1), eb("ownerUuid", "=", actor.uuid)]))
  const { rows, page } = await readPage(mine.selectAll().orderBy("name").orderBy("uuid"), input)
  return { views: rows.map(viewRow), ...page }
})

export const saveView = operation(views.saveView, async (context, { projectUuid, shared, ...given }) => {
  const { db, actor, now, newId } = context
  const row = { uuid: newId(), projectUuid, ownerUuid: actor.uuid, ...given, shared: shared ? 1 : 0, updatedAt: now }
  await db.insertInto("views").values(row).execute()
  if (shared) tellShared(context, row, "created")
  return viewRow(row)
})

export const updateView = operation(views.updateView, async (context, { viewUuid, shared, ...given }) => {
  const before = await findView(context, viewUuid)
  if (before.ownerUuid !== context.actor.uuid) throw notYours(before)
  const row = await context.db
    .updateTable("views")
    .set({ ...given, ...(shared === undefined ? {} : { shared: shared ? 1 : 0 }), updatedAt: context.now })
    .where("uuid", "=", viewUuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (row.shared === 1) tellShared(context, row, before.shared === 1 ? "updated" : "created")
  else if (before.shared === 1) tellGone(context, before)
  return viewRow(row)
})

export const deleteView = operation(views.deleteView, async (context, { viewUuid }) => {
  const view = await findView(context, viewUuid)
  const { actor, db } = context
  // Whoever runs the project can clear away what somebody who has left had shared.
  if (view.ownerUuid !== actor.uuid && !actor.permissions.has("project:admin")) throw notYours(view)
  await db.deleteFrom("views").where("uuid", "=", viewUuid).execute()
  if (view.shared === 1) tellGone(context, view)
  return { uuid: viewUuid, deleted: true as const }
})

function tellShared({ emit }: OperationContext, row: Schema["views"], action: "created" | "updated"): void {
  const { uuid, projectUuid } = row
  emit({ kind: "view.shared", entityType: "view", entityUuid: uuid, projectUuid, action, patch: viewRow(row) })
}

function tellGone({ emit }: OperationContext, { uuid, projectUuid, name }: Schema["views"]): void {
  emit({
    kind: "view.removed",
    entityType: "view",
    entityUuid: uuid,
    projectUuid,
    action: "deleted",
    patch: { name },
  })
}

/** Somebody else's own view does not exist for the caller. */
async function findView({ db, actor }: OperationContext, uuid: string): Promise<Schema["views"]> {
  const row = await db.selectFrom("views").selectAll().where("uuid", "=", uuid).executeTakeFirst()
  if (row === undefined || (row.shared === 0 && row.ownerUuid !== actor.uuid)) throw notFound("view", uuid)
  return row
}

function viewRow(row: Schema["views"]): views.ViewRow {
  return { ...row, shared: row.shared === 1 }
}

function notYours({ name }: Schema["views"]) {
  return forbidden(`"${name}" is somebody else's view.`, "Save a view of your own instead.")
}
