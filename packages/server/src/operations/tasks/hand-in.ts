import type { returned, tasks } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { type NameOf, namesOf, type OperationContext } from "../../operation.ts"
import { openThreads } from "../changes/threads.ts"
import { unjudge } from "./criterion-marks.ts"
import type { TaskRecord } from "./task-record.ts"

type Said = Pick<returned.HandIn, "failed" | "findings">

/** Begins the next hand-in of a task; what was said of the one before does not count for it. */
export async function keepHandIn(context: OperationContext, task: TaskRecord, number: number): Promise<void> {
  const { db } = context
  const before = await lastHandIn(db, task.uuid)
  await db
    .insertInto("handIns")
    .values({
      taskUuid: task.uuid,
      number,
      outcome: "pending",
      submittedByType: task.submittedByType,
      submittedByUuid: task.submittedByUuid,
      submittedAt: task.submittedAt ?? task.updatedAt,
      reason: null,
      said: "{}",
      decidedByType: null,
      decidedByUuid: null,
      decidedAt: null,
    })
    .execute()
  await unjudge(context, task, before?.decidedAt ?? "")
}

/** Writes on the last hand-in what became of it. */
export async function settleHandIn(
  { db, actor, now }: OperationContext,
  taskUuid: string,
  outcome: Exclude<Schema["handIns"]["outcome"], "pending">,
  reason: string | null = null,
): Promise<void> {
  const last = await lastHandIn(db, taskUuid)
  if (last === undefined) return
  const said = outcome === "returned" ? await saidOn(db, taskUuid) : undefined
  await db
    .updateTable("handIns")
    .set({
      outcome,
      reason,
      decidedByType: actor.type,
      decidedByUuid: actor.uuid,
      decidedAt: now,
      ...(said === undefined ? {} : { said: JSON.stringify(said) }),
    })
    .where("taskUuid", "=", taskUuid)
    .where("number", "=", last.number)
    .execute()
}

/** Why the task came back, as things stand now; nothing once it has been handed in again. */
export async function returnedOf(
  db: Db,
  task: Pick<TaskRecord, "uuid" | "returnedAt">,
): Promise<returned.Returned | null> {
  if (task.returnedAt === null) return null
  const last = await lastHandIn(db, task.uuid)
  if (last === undefined || last.decidedAt === null) return null
  const nameOf = await namesOf(db, [last.decidedByUuid])
  const said = await saidOn(db, task.uuid)
  const comments = await openThreads(db, task.uuid)
  return {
    handIn: last.number,
    at: last.decidedAt,
    by: nameOf(last.decidedByType, last.decidedByUuid),
    ...(last.reason === null ? {} : { reason: last.reason }),
    failed: toldOnce(said.failed, last.reason),
    findings: said.findings,
    ...(comments.length === 0 ? {} : { comments }),
  }
}

/** What reviewers found in work that its builder has taken back, until it is handed in again. */
export async function foundIn(
  db: Db,
  { uuid, status }: Pick<TaskRecord, "uuid" | "status">,
): Promise<returned.Returned | null> {
  const last = status === "in_progress" ? await lastHandIn(db, uuid) : undefined
  if (last?.outcome !== "taken_back") return null
  const failed = await db
    .selectFrom("reviews")
    .select(["reviewerType", "reviewerUuid", "summary"])
    .where("targetUuid", "=", uuid)
    .where("createdAt", ">=", last.submittedAt)
    .where("verdict", "=", "fail")
    .orderBy("createdAt", "desc")
    .executeTakeFirst()
  const findings = await openFindings(db, uuid)
  if (failed === undefined && findings.length === 0) return null
  const at = last.decidedAt ?? last.submittedAt
  const name = failed && (await namesOf(db, [failed.reviewerUuid]))(failed.reviewerType, failed.reviewerUuid)?.name
  const reason = failed === undefined ? {} : { reason: `${name ?? "A reviewer"}: ${failed.summary}` }
  return { handIn: last.number, at, by: null, ...reason, failed: [], findings }
}

/** Every hand-in there was, oldest first. */
export async function handInsOf(db: Db, taskUuid: string): Promise<tasks.TaskDetail["handIns"]> {
  const rows = await db.selectFrom("handIns").selectAll().where("taskUuid", "=", taskUuid).orderBy("number").execute()
  const nameOf = await namesOf(
    db,
    rows.flatMap((row) => [row.submittedByUuid, row.decidedByUuid]),
  )
  return rows.map((row) => handIn(row, nameOf))
}

function handIn(row: Schema["handIns"], nameOf: NameOf): returned.HandIn {
  const { failed = [], findings = [] } = JSON.parse(row.said) as Partial<Said>
  return {
    number: row.number,
    outcome: row.outcome,
    submittedBy: nameOf(row.submittedByType, row.submittedByUuid),
    submittedAt: row.submittedAt,
    decidedBy: nameOf(row.decidedByType, row.decidedByUuid),
    decidedAt: row.decidedAt,
    reason: row.reason,
    failed: toldOnce(failed, row.reason),
    findings,
  }
}

/** Who fails a criterion and sends back in one act gives one reason for both. */
function toldOnce<Row extends Said["failed"][number]>(failed: readonly Row[], reason: string | null) {
  return failed.map(({ evidence, ...row }) =>
    evidence === undefined || evidence === reason ? row : { ...row, evidence },
  )
}

/** How often the task was handed in so far. */
export async function lastHandInNumber(db: Db, taskUuid: string): Promise<number> {
  return (await lastHandIn(db, taskUuid))?.number ?? 0
}

function lastHandIn(db: Db, taskUuid: string) {
  return db
    .selectFrom("handIns")
    .selectAll()
    .where("taskUuid", "=", taskUuid)
    .orderBy("number", "desc")
    .executeTakeFirst()
}

/** The criteria that failed, with what was said of each, and the findings that are open. */
async function saidOn(db: Db, taskUuid: string): Promise<Pick<returned.Returned, "failed" | "findings">> {
  const failed = await db
    .selectFrom("criteria")
    .select(["uuid", "description as criterion", "evidence"])
    .where("taskUuid", "=", taskUuid)
    .where("retiredAt", "is", null)
    .where("status", "=", "failed")
    .orderBy("sortOrder")
    .execute()
  return {
    failed: failed.map(({ evidence, ...row }) => ({ ...row, ...(evidence === null ? {} : { evidence }) })),
    findings: await openFindings(db, taskUuid),
  }
}

/** What reviewers found, before some time or ever, and nobody has settled; blockers first. */
export async function openFindings(db: Db, targetUuid: string, raisedBefore?: string): Promise<returned.OpenFinding[]> {
  const open = db
    .selectFrom("findings as f")
    .innerJoin("reviews as r", "r.uuid", "f.reviewUuid")
    .select(["f.key", "f.severity", "f.text", "r.reviewerType", "r.reviewerUuid"])
    .where("f.targetUuid", "=", targetUuid)
    .where("f.state", "=", "open")
    .orderBy("f.severity")
    .orderBy("f.createdAt")
    .orderBy("f.key")
  const rows = await (raisedBefore === undefined ? open : open.where("f.createdAt", "<", raisedBefore)).execute()
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.reviewerUuid),
  )
  return rows.map(({ reviewerType, reviewerUuid, ...row }) => {
    const by = nameOf(reviewerType, reviewerUuid)?.name
    return { ...row, ...(by === undefined ? {} : { by }) }
  })
}
