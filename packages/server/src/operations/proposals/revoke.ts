import type { Schema } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { dropAttached } from "../attachments/drop-attached.ts"
import { close } from "../tasks/task-life.ts"
import { announceDependents } from "../tasks/task-step.ts"
import { documentDraft, recordDraft } from "./draft-record.ts"

/**
 * Takes back what an approval made. Tasks are closed and keep their history; documents go back into their drafts with all that was
 * written since. Completion reports stay.
 */
export async function undoMaterialised(context: OperationContext, proposal: Schema["proposals"]) {
  return {
    closedTasks: await closeTasks(context, proposal.uuid),
    deletedDocuments: await returnDocuments(context, proposal),
  }
}

async function closeTasks(context: OperationContext, proposalUuid: string): Promise<{ uuid: string; title: string }[]> {
  const { db } = context
  const tasks = await db
    .selectFrom("tasks as t")
    .innerJoin("taskDrafts as d", "d.uuid", "t.draftUuid")
    .selectAll("t")
    .where("t.proposalUuid", "=", proposalUuid)
    .orderBy("d.position")
    .execute()
  await cutOutsideEdges(
    context,
    tasks.map((task) => task.uuid),
  )
  for (const task of tasks) if (task.status !== "closed") await close(context, task)
  // Freed from their drafts, so that approving again makes new ones.
  await db
    .updateTable("tasks")
    .set({ draftUuid: null })
    .where(
      "uuid",
      "in",
      tasks.map((task) => task.uuid),
    )
    .execute()
  return tasks.map(({ uuid, title }) => ({ uuid, title }))
}

async function cutOutsideEdges(context: OperationContext, own: readonly string[]): Promise<void> {
  const incoming = await context.db
    .deleteFrom("taskEdges")
    .where("dependsOnUuid", "in", own)
    .where("taskUuid", "not in", own)
    .returning("taskUuid")
    .execute()
  await context.db.deleteFrom("taskEdges").where("taskUuid", "in", own).where("dependsOnUuid", "not in", own).execute()
  await announceDependents(context, [...new Set(incoming.map((edge) => edge.taskUuid))])
}

async function returnDocuments(
  context: OperationContext,
  proposal: Schema["proposals"],
): Promise<{ uuid: string; title: string }[]> {
  const { db, now, emit } = context
  const drafts = await db
    .selectFrom("documentDrafts")
    .selectAll()
    .where("proposalUuid", "=", proposal.uuid)
    .orderBy("position")
    .execute()
  const deleted: { uuid: string; title: string }[] = []
  for (const draft of drafts) {
    const document = await db
      .selectFrom("documents")
      .selectAll()
      .where("proposalUuid", "=", proposal.uuid)
      .where("draftUuid", "=", draft.uuid)
      .executeTakeFirst()
    if (document === undefined) continue
    const { uuid, version, title, content } = document
    if (version > 1) {
      const changed = { ...draft, title, content, version: draft.version + 1, updatedAt: now }
      await db
        .updateTable("documentDrafts")
        .set({ title, content, version: changed.version, updatedAt: now })
        .where("uuid", "=", draft.uuid)
        .execute()
      await recordDraft(context, proposal, "document", "updated", documentDraft(changed))
    }
    await dropAttached(db, [uuid])
    await db.deleteFrom("documents").where("uuid", "=", uuid).execute()
    emit({
      kind: "document.deleted",
      entityType: "document",
      entityUuid: uuid,
      projectUuid: proposal.projectUuid,
      action: "deleted",
      patch: { title },
    })
    deleted.push({ uuid, title })
  }
  return deleted
}
