import { ChorusError, type versions } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"

interface Rewritten {
  readonly targetType: versions.VersionTarget
  readonly uuid: string
  readonly title: string
  readonly createdByType: Schema["ideas"]["createdByType"]
  readonly proposalUuid?: string | null
  readonly draftUuid?: string | null
}

/** What was approved, and what a person wrote, an agent rewrites only by asking; the people concerned decide. */
export async function assertMayRewrite({ db, actor }: OperationContext, what: Rewritten): Promise<void> {
  if (actor.type !== "agent") return
  if (await isApproved(db, what)) throw needsPerson(what, "was approved as it stands")
  if (await isOfAPerson(db, what)) throw needsPerson(what, "is in a person's own words")
}

/** Nor does it take away what was approved or what a person gave: that leaves nothing to compare with. */
export async function assertMayTakeAway({ db, actor }: OperationContext, what: Rewritten): Promise<void> {
  if (actor.type !== "agent") return
  if (await isApproved(db, what)) throw notTaken(what, "was approved")
  if (await isOfAPerson(db, what)) throw notTaken(what, "is in a person's own words")
}

/** A file or link that a person added is a person's word, too. */
export function assertMayChangeAddition(
  { actor }: Pick<OperationContext, "actor">,
  { createdByType, title }: { readonly createdByType: Schema["ideas"]["createdByType"]; readonly title: string },
): void {
  if (actor.type !== "agent" || createdByType !== "user") return
  throw new ChorusError("needs_person", `"${title}" was added by a person, so an agent leaves it as it is.`, {
    status: 403,
    next: "Ask a person to change it or take it away, with chorus_create_attention.",
  })
}

/** Adding to or taking from what an approved proposal holds changes what was approved. */
export async function assertMayChangeScope(
  { db, actor }: OperationContext,
  proposalUuid: string | null,
  doing:
    | "adding a task to it"
    | "closing one of its tasks"
    | "deleting one of its tasks"
    | "undoing the order of its tasks",
): Promise<void> {
  if (actor.type !== "agent" || proposalUuid === null) return
  const proposal = await db
    .selectFrom("proposals")
    .select(["uuid", "title", "status"])
    .where("uuid", "=", proposalUuid)
    .executeTakeFirst()
  if (proposal?.status !== "approved") return
  throw new ChorusError("needs_person", `"${proposal.title}" is approved, so ${doing} is for a person to decide.`, {
    status: 403,
    next:
      doing === "adding a task to it"
        ? "Ask for it with chorus_request_change, saying why; a person decides."
        : "Ask a person to do it, with chorus_create_attention.",
    details: { targetType: "proposal", targetUuid: proposal.uuid },
  })
}

/** What a task waits for was approved with it, and what it may rely on; what was put between them since was not. */
export async function assertMayUnlink(
  context: OperationContext,
  { proposalUuid, draftUuid }: Pick<Schema["tasks"], "proposalUuid" | "draftUuid">,
  dependsOn: readonly string[],
): Promise<void> {
  const { db, actor } = context
  if (actor.type !== "agent" || draftUuid === null) return
  const draft = await db
    .selectFrom("taskDrafts")
    .select("dependsOnDraftUuids")
    .where("uuid", "=", draftUuid)
    .executeTakeFirst()
  const planned = JSON.parse(draft?.dependsOnDraftUuids ?? "[]") as string[]
  const tasks = await db.selectFrom("tasks").select("draftUuid").where("uuid", "in", dependsOn).execute()
  if (tasks.some((task) => task.draftUuid !== null && planned.includes(task.draftUuid)))
    await assertMayChangeScope(context, proposalUuid, "undoing the order of its tasks")
}

/** Documents and tasks that came out of an approval; a report written afterwards did not. */
async function isApproved(db: Db, { targetType, proposalUuid = null, draftUuid = null }: Rewritten): Promise<boolean> {
  if (proposalUuid === null || (targetType === "document" && draftUuid === null)) return false
  const proposal = await db.selectFrom("proposals").select("status").where("uuid", "=", proposalUuid).executeTakeFirst()
  return proposal?.status === "approved"
}

async function isOfAPerson(db: Db, { uuid, createdByType }: Rewritten): Promise<boolean> {
  if (createdByType === "user") return true
  const theirs = await db
    .selectFrom("textVersions")
    .select("version")
    .where("targetUuid", "=", uuid)
    .where("changedByType", "=", "user")
    .executeTakeFirst()
  return theirs !== undefined
}

function notTaken({ targetType, uuid, title }: Rewritten, why: string): ChorusError {
  return new ChorusError("needs_person", `"${title}" ${why}, so an agent does not delete it.`, {
    status: 403,
    next: "Ask a person to delete it, with chorus_create_attention.",
    details: { targetType, targetUuid: uuid },
  })
}

function needsPerson({ targetType, uuid, title }: Rewritten, why: string): ChorusError {
  return new ChorusError("needs_person", `"${title}" ${why}, so an agent does not rewrite it.`, {
    status: 403,
    next: "Ask for the change with chorus_request_change, saying why; it is made when a person agrees.",
    details: { targetType, targetUuid: uuid },
  })
}
