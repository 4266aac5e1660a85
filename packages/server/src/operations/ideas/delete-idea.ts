import { ChorusError, ideas } from "@chorus/contracts"
import { type Db, lock, type Schema } from "@chorus/store"
import { namesOf } from "../../names.ts"
import { operation } from "../../operation.ts"
import { dropAttached } from "../attachments/drop-attached.ts"
import { claim, release } from "./claim-idea.ts"
import { findIdea } from "./idea-row.ts"

export const deleteIdea = operation(ideas.deleteIdea, async ({ db, engine, now, emit }, { ideaUuid }) => {
  const { projectUuid } = await findIdea(db, ideaUuid)
  await lock({ db, engine }, `project:${projectUuid}`)
  const idea = await findIdea(db, ideaUuid)
  await assertUnused(db, idea)
  const raised = await db
    .updateTable("ideas")
    .set({ parentUuid: idea.parentUuid, updatedAt: now })
    .where("parentUuid", "=", ideaUuid)
    .returning("uuid")
    .execute()
  for (const child of raised) {
    const patch = { parentUuid: idea.parentUuid, updatedAt: now }
    emit({ kind: "idea.updated", entityType: "idea", entityUuid: child.uuid, projectUuid, action: "updated", patch })
  }
  await dropAttached(db, [ideaUuid])
  await db.deleteFrom("ideas").where("uuid", "=", ideaUuid).execute()
  const patch = { title: idea.title, previousParentUuid: idea.parentUuid }
  emit({ kind: "idea.deleted", entityType: "idea", entityUuid: ideaUuid, projectUuid, action: "deleted", patch })
  return { uuid: ideaUuid, deleted: true as const }
})

/** Early clients set statuses by hand. Open and elaborating are still steps; all else follows by itself and is answered, not done. */
export const updateIdeaStatus = operation(ideas.updateIdeaStatus, async (context, { ideaUuid, status }) => {
  const idea = await findIdea(context.db, ideaUuid)
  if (status === "open" && idea.status === "elaborating")
    return { ...(await release(context, ideaUuid)), note: "The idea was released." }
  const claims = status === "assigned" || status === "in_progress" || status === "elaborating"
  if (claims && idea.status === "open") return { ...(await claim(context, ideaUuid)), note: "The idea was claimed." }
  return {
    ...(await asItIs(context.db, idea)),
    note: "Nothing was changed: an idea's status follows its elaboration, proposals and tasks.",
  }
})

export const closeIdea = operation(ideas.closeIdea, async ({ db }, { ideaUuid }) => ({
  ...(await asItIs(db, await findIdea(db, ideaUuid))),
  note: "Nothing was changed: ideas are no longer closed. Close their proposals, or delete the idea.",
}))

async function asItIs(db: Db, idea: Schema["ideas"]) {
  return {
    uuid: idea.uuid,
    status: idea.status,
    assignee: (await namesOf(db, [idea.assigneeUuid]))(idea.assigneeType, idea.assigneeUuid),
  }
}

async function assertUnused(db: Db, idea: Schema["ideas"]): Promise<void> {
  const used = await db
    .selectFrom("proposalInputs as i")
    .innerJoin("proposals as p", "p.uuid", "i.proposalUuid")
    .select(["p.uuid", "p.title", "p.status"])
    .where("i.ideaUuid", "=", idea.uuid)
    .where("p.status", "in", ["pending", "approved"])
    .execute()
  if (used.length === 0) return
  throw new ChorusError(
    "idea_in_use",
    `"${idea.title}" feeds ${used.length} pending or approved proposal${used.length === 1 ? "" : "s"}.`,
    {
      status: 409,
      next: "Revoke or close these proposals first.",
      details: { proposals: used },
    },
  )
}
