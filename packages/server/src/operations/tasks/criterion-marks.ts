import { ChorusError, criteria, type ParsedInputOf, type PatchOf } from "@chorus/contracts"
import { acceptanceStatus, acceptanceSummary, clip } from "@chorus/core"
import type { Schema } from "@chorus/store"
import { operation, type OperationContext } from "../../operation.ts"
import { isTrusted, presentChecks } from "../checks/check-record.ts"
import {
  assertMayJudge,
  assertMayWork,
  criteriaCounts,
  criteriaOf,
  findTask,
  type TaskRecord,
  UNJUDGED,
  wrongStatus,
} from "./task-record.ts"

interface Mark {
  readonly uuid: string
  readonly verdict: "passed" | "failed"
  readonly evidence?: string | undefined
  readonly exitCode?: number | undefined
  readonly output?: string | undefined
}

/** How much of each goes into the log; the verdicts themselves keep all. */
const MOST_EVIDENCE = 500

type Track = Schema["criterionVerdicts"]["track"]

export const reportSelfCheck = operation(criteria.reportSelfCheck, async (context, { taskUuid, criteria: checks }) => {
  const task = await findTask(context.db, taskUuid)
  await selfCheck(context, task, checks)
  return acceptanceOf(context, task)
})

/** The verifier's word on criteria. */
export async function judge(
  context: OperationContext,
  task: TaskRecord,
  verdicts: ParsedInputOf<typeof criteria.markCriteria>["criteria"],
): Promise<void> {
  await assertMayJudge(context, task)
  await mark(
    context,
    task,
    "admin",
    verdicts.map(({ uuid, status, evidence, exitCode, output }) => ({
      uuid,
      verdict: status,
      evidence,
      exitCode,
      output,
    })),
  )
}

/** The holder's own check, on the developer's track. */
export async function selfCheck(
  context: OperationContext,
  task: TaskRecord,
  checks: readonly criteria.SelfCheck[],
): Promise<void> {
  if (task.status !== "assigned" && task.status !== "in_progress") throw wrongStatus(task, "submit")
  await assertMayWork(context, task)
  await mark(
    context,
    task,
    "dev",
    checks.map(({ uuid, devStatus, devEvidence, exitCode, output }) => ({
      uuid,
      verdict: devStatus,
      evidence: devEvidence,
      exitCode,
      output,
    })),
  )
}

/** What failed has to be checked again by whoever mends it; all else stays as it was said. */
export async function reopenMarks(context: OperationContext, task: TaskRecord): Promise<void> {
  const { numUpdatedRows } = await context.db
    .updateTable("criteria")
    .set({ devStatus: "pending" })
    .where("taskUuid", "=", task.uuid)
    .where("retiredAt", "is", null)
    .where("status", "=", "failed")
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await tellReset(context, task)
}

/**
 * Takes the verdicts back that are about other work than what is handed in now: what was said up to then, and what
 * failed meanwhile. The builder's own evidence stays, and all of it stays in the history with its hand-in.
 */
export async function unjudge(context: OperationContext, task: TaskRecord, until: string): Promise<void> {
  const { numUpdatedRows } = await context.db
    .updateTable("criteria")
    .set({ status: "pending", evidence: null, markedByType: null, markedByUuid: null, markedAt: null })
    .where("taskUuid", "=", task.uuid)
    .where("retiredAt", "is", null)
    .where("status", "<>", "pending")
    .where(({ or, eb }) => or([eb("status", "=", "failed"), eb("markedAt", "<=", until)]))
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await tellReset(context, task)
}

/** Passes those of the named criteria that nobody has judged; a verdict that came in between stands. */
export async function passUnjudged(
  context: OperationContext,
  task: TaskRecord,
  uuids: readonly string[],
): Promise<void> {
  const open = (await criteriaOf(context.db, task.uuid)).filter(
    ({ uuid, status }) => status === "pending" && uuids.includes(uuid),
  )
  if (open.length === 0) return
  await assertMayJudge(context, task)
  await mark(
    context,
    task,
    "admin",
    open.map(({ uuid }) => ({ uuid, verdict: "passed" })),
  )
}

/** Sets both tracks back to pending; what was said before stays in the history. */
export async function resetMarks(context: OperationContext, task: TaskRecord): Promise<void> {
  await context.db
    .updateTable("criteria")
    .set(UNJUDGED)
    .where("taskUuid", "=", task.uuid)
    .where("retiredAt", "is", null)
    .execute()
  await tellReset(context, task)
}

async function tellReset({ db, now, emit }: OperationContext, task: TaskRecord): Promise<void> {
  const patch = { ac: criteriaCounts(await findTask(db, task.uuid)), updatedAt: now }
  emit({
    kind: "task.criteria_reset",
    entityType: "task",
    entityUuid: task.uuid,
    projectUuid: task.projectUuid,
    action: "updated",
    patch,
  })
}

async function mark(context: OperationContext, task: TaskRecord, track: Track, marks: readonly Mark[]): Promise<void> {
  const { db, actor, now, newId, emit } = context
  const verdicts: NonNullable<PatchOf<"task.criteria_marked">["verdicts"]> = []
  for (const { uuid, verdict, exitCode, output, ...said } of marks) {
    const evidence = said.evidence ?? (verdict === "failed" ? ranTo(exitCode, output) : null)
    if (exitCode !== undefined && exitCode !== 0 && verdict === "passed") throw contradiction(uuid, exitCode)
    if (exitCode === undefined && verdict === "passed") await assertProven(context, task, track, uuid)
    const changes =
      track === "dev"
        ? {
            devStatus: verdict,
            devEvidence: evidence,
            devMarkedByType: actor.type,
            devMarkedByUuid: actor.uuid,
            devMarkedAt: now,
          }
        : { status: verdict, evidence, markedByType: actor.type, markedByUuid: actor.uuid, markedAt: now }
    const marked = await db
      .updateTable("criteria")
      .set(changes)
      .where("uuid", "=", uuid)
      .where("taskUuid", "=", task.uuid)
      .where("retiredAt", "is", null)
      .returning("description as criterion")
      .executeTakeFirst()
    if (marked === undefined) throw unknownCriterion(task, uuid)
    verdicts.push({ ...marked, verdict, ...(evidence === null ? {} : { evidence: clip(evidence, MOST_EVIDENCE) }) })
    await db
      .insertInto("criterionVerdicts")
      .values({
        uuid: newId(),
        criterionUuid: uuid,
        track,
        status: verdict,
        evidence,
        exitCode: exitCode ?? null,
        output: output ?? null,
        markedByType: actor.type,
        markedByUuid: actor.uuid,
        markedAt: now,
      })
      .execute()
  }
  const patch = {
    ac: criteriaCounts(await findTask(db, task.uuid)),
    updatedAt: now,
    passed: marks.filter(({ verdict }) => verdict === "passed").length,
    failed: marks.filter(({ verdict }) => verdict === "failed").length,
    verdicts,
  }
  await db.updateTable("tasks").set({ updatedAt: now }).where("uuid", "=", task.uuid).execute()
  emit({
    kind: track === "dev" ? "task.criteria_checked" : "task.criteria_marked",
    entityType: "task",
    entityUuid: task.uuid,
    projectUuid: task.projectUuid,
    action: "updated",
    patch,
  })
}

/** What a command that failed said, in place of words about it. */
function ranTo(exitCode: number | undefined, output = ""): string | null {
  if (exitCode === undefined) return null
  const last = output.trim().slice(-MOST_EVIDENCE)
  return last === "" ? `exit ${exitCode}` : `exit ${exitCode}: ${last}`
}

/**
 * What names a command passes by its exit code: the one just given or, for a verifier, the one that Chorus found, else the one the builder
 * had. A person may judge without, for they may have seen it run.
 */
async function assertProven(
  { db, actor }: OperationContext,
  task: TaskRecord,
  track: Track,
  uuid: string,
): Promise<void> {
  if (track === "admin" && actor.type !== "agent") return
  const criterion = await db
    .selectFrom("criteria")
    .select(["description", "command"])
    .where("uuid", "=", uuid)
    .where("taskUuid", "=", task.uuid)
    .executeTakeFirst()
  if (criterion === undefined || criterion.command === null) return
  const check = (await presentChecks(db, task.uuid)).find((one) => one.criterionUuid === uuid && one.source !== "agent")
  if (track === "admin" && check?.state === "passed" && isTrusted(check)) return
  if (track === "admin" && check?.state === "failed" && !check.outdated)
    throw contradiction(uuid, check.exitCode ?? check.reason ?? "")
  const checked = await db
    .selectFrom("criterionVerdicts")
    .select("exitCode")
    .where("criterionUuid", "=", uuid)
    .where("track", "=", "dev")
    .orderBy("markedAt", "desc")
    .orderBy("uuid", "desc")
    .executeTakeFirst()
  if (track === "admin" && checked?.exitCode === 0) return
  throw new ChorusError(
    "exit_code_missing",
    `"${criterion.description}" passes only by the exit code of its command.`,
    {
      next: `Run \`${criterion.command}\` and report its exitCode (and output), or report the criterion as failed.`,
      details: { taskUuid: task.uuid, criterionUuid: uuid, command: criterion.command },
    },
  )
}

export async function acceptanceOf({ db }: OperationContext, task: TaskRecord) {
  const items = await criteriaOf(db, task.uuid)
  return { items, status: acceptanceStatus(items), summary: acceptanceSummary(items) }
}

function unknownCriterion(task: TaskRecord, uuid: string): ChorusError {
  return new ChorusError("not_found", `"${task.title}" has no criterion ${uuid} in force.`, {
    status: 404,
    next: "Get the task to see its criteria; they may have been rewritten.",
  })
}

function contradiction(uuid: string, exitCode: number | string): ChorusError {
  return new ChorusError(
    "evidence_contradicts",
    `Criterion ${uuid} is said to have passed, but its command ended with ${exitCode}.`,
    {
      next: "Report it as failed, or run the command again and report the new exit code.",
    },
  )
}
