import { ChorusError, reviews } from "@chorus/contracts"
import { nextFindingKey, verdictFault } from "@chorus/core"
import { type Db, lock, type Schema } from "@chorus/store"
import {
  type Actor,
  forbidden,
  type NameOf,
  namesOf,
  notFound,
  operation,
  type OperationContext,
  pageIn,
  projectOf,
} from "../../operation.ts"

type Given = (typeof reviews.submitReview)["input"]["_output"]

export const submitReview = operation(reviews.submitReview, (context, input) => giveReview(context, input))

/** Records a review by the actor of the context. */
export async function giveReview(context: OperationContext, input: Given): Promise<reviews.ReviewRow> {
  const { db, engine, actor, now, newId, emit } = context
  const { targetType, targetUuid, verdict, summary } = input
  await lock({ db, engine }, `review:${targetUuid}`)
  if (await isOwnWork(db, actor, targetType, targetUuid)) throw ownWork()
  const projectUuid = await projectOf(db, targetType, targetUuid)
  const before = await db
    .selectFrom("reviews")
    .select("round")
    .where("targetUuid", "=", targetUuid)
    .where("reviewerUuid", "=", actor.uuid)
    .execute()
  const round = Math.max(0, ...before.map((review) => review.round)) + 1
  const uuid = newId()
  await db
    .insertInto("reviews")
    .values({
      uuid,
      projectUuid,
      targetType,
      targetUuid,
      round,
      verdict,
      summary,
      reviewerType: actor.type,
      reviewerUuid: actor.uuid,
      createdAt: now,
    })
    .execute()
  await settleEarlier(context, input, projectUuid)
  await raise(context, input, uuid, projectUuid)
  const fault = verdictFault(verdict, await openBlockers(db, targetUuid, verdict === "fail" ? undefined : actor.uuid))
  if (fault !== undefined) throw contradiction(fault)
  const review = (await reviewsOf(db, targetUuid)).find((candidate) => candidate.uuid === uuid)
  if (review === undefined) throw notFound("review", uuid)
  emit({
    kind: "review.submitted",
    entityType: "review",
    entityUuid: uuid,
    projectUuid,
    action: "created",
    patch: review,
  })
  return review
}

export const updateFinding = operation(reviews.updateFinding, async (context, { findingUuid, state, note }) => {
  const finding = await context.db
    .selectFrom("findings")
    .selectAll()
    .where("uuid", "=", findingUuid)
    .executeTakeFirstOrThrow()
  const review = await context.db
    .selectFrom("reviews")
    .select("projectUuid")
    .where("uuid", "=", finding.reviewUuid)
    .executeTakeFirstOrThrow()
  return change(context, finding, { state, stateNote: note ?? null }, review.projectUuid)
})

export const getReviews = operation(reviews.getReviews, async ({ db }, { targetUuid, ...pages }) => {
  const { rows, page } = pageIn(await reviewsOf(db, targetUuid), pages)
  return { reviews: rows, openBlockers: (await openBlockers(db, targetUuid)).length, ...page }
})

async function settleEarlier(
  context: OperationContext,
  { targetUuid, resolvedKeys }: Given,
  projectUuid: string,
): Promise<void> {
  for (const key of new Set(resolvedKeys)) {
    const earlier = await context.db
      .selectFrom("findings")
      .selectAll()
      .where("targetUuid", "=", targetUuid)
      .where("key", "=", key)
      .executeTakeFirst()
    if (earlier === undefined) throw notFound("finding", key)
    await change(context, earlier, { state: "resolved", stateNote: null }, projectUuid)
  }
}

/** A finding with a key is the earlier one raised again; without, it gets the next free key. */
async function raise(
  context: OperationContext,
  { targetUuid, findings }: Given,
  reviewUuid: string,
  projectUuid: string,
): Promise<void> {
  const { db, now, newId } = context
  const earlier = await db.selectFrom("findings").selectAll().where("targetUuid", "=", targetUuid).execute()
  const known = new Set(earlier.map((row) => row.key))
  for (const { key, severity, text } of findings) {
    const again = earlier.find((row) => row.key === key)
    if (again !== undefined) {
      await change(context, again, { severity, text, state: "open", stateNote: null }, projectUuid)
      continue
    }
    const free = key ?? nextFindingKey(severity, known)
    known.add(free)
    const state = { state: "open", stateByType: null, stateByUuid: null, stateAt: null, stateNote: null } as const
    await db
      .insertInto("findings")
      .values({ uuid: newId(), reviewUuid, targetUuid, key: free, severity, text, ...state, createdAt: now })
      .execute()
  }
}

type Changes = Pick<Schema["findings"], "state" | "stateNote"> & Partial<Pick<Schema["findings"], "severity" | "text">>

/** Whoever says yes to the whole has settled what was still open in it. */
export async function settleOpen(context: OperationContext, targetUuid: string, projectUuid: string): Promise<void> {
  const open = await context.db
    .selectFrom("findings")
    .selectAll()
    .where("targetUuid", "=", targetUuid)
    .where("state", "=", "open")
    .orderBy("createdAt")
    .orderBy("key")
    .execute()
  for (const finding of open) await write(context, finding, { state: "resolved", stateNote: null }, projectUuid)
}

/** Changes a finding: whoever raised it may, or a person who did not write the work. */
async function change(
  context: OperationContext,
  finding: Schema["findings"],
  changes: Changes,
  projectUuid: string,
): Promise<reviews.FindingRow> {
  const { db, actor } = context
  const review = await db
    .selectFrom("reviews")
    .selectAll()
    .where("uuid", "=", finding.reviewUuid)
    .executeTakeFirstOrThrow()
  const isReviewer = review.reviewerType === actor.type && review.reviewerUuid === actor.uuid
  if (!isReviewer && (actor.type !== "user" || (await isOwnWork(db, actor, review.targetType, review.targetUuid)))) {
    throw forbidden(
      "A finding is settled by whoever raised it, or by a person who did not write the work.",
      "Answer the finding in a comment and ask for another review.",
    )
  }
  return write(context, finding, changes, projectUuid)
}

async function write(
  { db, actor, now, emit }: OperationContext,
  finding: Schema["findings"],
  changes: Changes,
  projectUuid: string,
): Promise<reviews.FindingRow> {
  const row = await db
    .updateTable("findings")
    .set({ ...changes, stateByType: actor.type, stateByUuid: actor.uuid, stateAt: now })
    .where("uuid", "=", finding.uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  const patch = findingRow(row, await namesOf(db, [actor.uuid]))
  emit({
    kind: `finding.${row.state === "open" ? "reopened" : row.state}`,
    entityType: "finding",
    entityUuid: finding.uuid,
    projectUuid,
    action: "updated",
    patch,
  })
  return patch
}

/** The keys of blockers that are open: everybody's, or only those one reviewer raised. */
async function openBlockers(db: Db, targetUuid: string, reviewerUuid?: string): Promise<string[]> {
  const open = db
    .selectFrom("findings as f")
    .innerJoin("reviews as r", "r.uuid", "f.reviewUuid")
    .select("f.key")
    .where("f.targetUuid", "=", targetUuid)
    .where("f.severity", "=", "blocker")
    .where("f.state", "=", "open")
    .orderBy("f.key")
  const rows = await (reviewerUuid === undefined ? open : open.where("r.reviewerUuid", "=", reviewerUuid)).execute()
  return rows.map((row) => row.key)
}

/** An idea belongs to whoever wrote it, a proposal to its author, a task to its holder and whoever handed it in. */
async function isOwnWork(db: Db, actor: Actor, type: Schema["reviews"]["targetType"], uuid: string): Promise<boolean> {
  if (type === "task") {
    const task = await db
      .selectFrom("tasks")
      .select(["assigneeUuid", "submittedByUuid"])
      .where("uuid", "=", uuid)
      .executeTakeFirst()
    return task?.assigneeUuid === actor.uuid || task?.submittedByUuid === actor.uuid
  }
  const row = await db
    .selectFrom(type === "idea" ? "ideas" : "proposals")
    .select("createdByUuid")
    .where("uuid", "=", uuid)
    .executeTakeFirst()
  return row?.createdByUuid === actor.uuid
}

function ownWork(): ChorusError {
  return new ChorusError("self_review", "This is your own work, so somebody else must review it.", {
    status: 403,
    next: "Ask another agent or a person for the review.",
  })
}

function contradiction(fault: string): ChorusError {
  return new ChorusError("verdict_contradicts_findings", `The verdict and the findings do not go together: ${fault}.`, {
    next: "Change the verdict, add or resolve blockers, and submit again. Nothing was changed.",
  })
}

export function findingRow(row: Schema["findings"], nameOf: NameOf): reviews.FindingRow {
  const { stateByType, stateByUuid, ...fields } = row
  return { ...fields, stateBy: nameOf(stateByType, stateByUuid) }
}

/** The reviews of something, newest first, each with the findings it raised. */
export async function reviewsOf(db: Db, targetUuid: string): Promise<reviews.ReviewRow[]> {
  const rows = await db
    .selectFrom("reviews")
    .selectAll()
    .where("targetUuid", "=", targetUuid)
    .orderBy("createdAt", "desc")
    .orderBy("uuid")
    .execute()
  const findings = await db
    .selectFrom("findings")
    .selectAll()
    .where("targetUuid", "=", targetUuid)
    .orderBy("createdAt")
    .orderBy("key")
    .execute()
  const nameOf = await namesOf(db, [
    ...rows.map((row) => row.reviewerUuid),
    ...findings.map((finding) => finding.stateByUuid),
  ])
  const raised = Map.groupBy(findings, (finding) => finding.reviewUuid)
  return rows.map(({ reviewerType, reviewerUuid, ...row }) => ({
    ...row,
    reviewer: nameOf(reviewerType, reviewerUuid),
    findings: (raised.get(row.uuid) ?? []).map((finding) => findingRow(finding, nameOf)),
  }))
}
