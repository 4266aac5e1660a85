import { criteria, CriterionId } from "@chorus/contracts"
import { asChorus, type OperationContext } from "../../operation.ts"
import { takeUpReturned } from "../runs/runs.ts"
import { reviewHandIn } from "../runs/run-work.ts"
import { settingsOfProject } from "../task-work/settings.ts"
import { judge } from "../tasks/criterion-marks.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { reopen } from "../tasks/task-life.ts"
import { type CheckRecord, newestOfEach, PENDING, presentHandIn } from "./check-record.ts"

/** So often in a row Chorus sends work back by itself; then a person is asked. */
const MOST_RETURNS = 3
const SHOWN = 1500

/** Once every check of a hand-in has ended: what failed goes back, all else goes on to a reviewer or a person. */
export async function conclude(context: OperationContext, { taskUuid, handIn, decides }: CheckRecord): Promise<void> {
  const { db, now, emit } = context
  if (decides === 0) return
  const decisive = await db
    .selectFrom("checks as c")
    .leftJoin("criteria as k", "k.uuid", "c.criterionUuid")
    .selectAll("c")
    .select("k.required")
    .where("c.taskUuid", "=", taskUuid)
    .where("c.handIn", "=", handIn)
    .where("c.decides", "=", 1)
    .orderBy("c.createdAt")
    .orderBy("c.uuid")
    .execute()
  const all = newestOfEach(decisive)
  if (all.some(({ state }) => PENDING.some((pending) => pending === state))) return
  const task = await findTask(db, taskUuid)
  if (task.status !== "to_verify" || (await presentHandIn(db, taskUuid)) !== handIn) return
  const failed = all.filter(({ state, required }) => state === "failed" && required !== 0)
  const { returnFailedChecks } = await settingsOfProject(db, task.projectUuid)
  if (failed.length > 0 && returnFailedChecks && (await returnsInARow(context, taskUuid)) < MOST_RETURNS)
    return sendBack(asChorus(context), task, failed, all.length)
  emit({
    kind: "task.checked",
    entityType: "task",
    entityUuid: taskUuid,
    projectUuid: task.projectUuid,
    action: "updated",
    patch: {
      status: task.status,
      updatedAt: now,
      passed: all.filter(({ state }) => state === "passed").length,
      failed: failed.length,
    },
  })
  const [run] = all.flatMap(({ runUuid }) => runUuid ?? [])
  if (run !== undefined) await reviewHandIn(context, run)
}

async function sendBack(
  context: OperationContext,
  task: TaskRecord,
  failed: readonly CheckRecord[],
  total: number,
): Promise<void> {
  const marks = failed.flatMap((check) =>
    check.criterionUuid === null
      ? []
      : [{ uuid: CriterionId.parse(check.criterionUuid), status: "failed" as const, evidence: said(check) }],
  )
  if (marks.length > 0) await judge(context, task, marks)
  const common = failed
    .filter(({ criterionUuid }) => criterionUuid === null)
    .map((check) => `${check.name}: ${said(check)}`)
  const reason = [`Chorus ran the checks: ${failed.length} of ${total} failed.`, ...common].join("\n\n")
  await reopen(context, task, { force: true, reason })
  const [run] = failed.flatMap(({ runUuid }) => runUuid ?? [])
  if (run !== undefined) await takeUpReturned(context, run)
}

/** What a check showed, for whoever mends it. */
function said({ command, exitCode, reason, machine, durationMs, output }: CheckRecord): string {
  const took = durationMs === null ? "" : ` after ${(durationMs / 1000).toFixed(1)} s`
  const end = reason ?? `It ended${took} with exit code ${exitCode ?? "unknown"}.`
  const shown = criteria.withoutTerminalCodes(output).trim().slice(-SHOWN)
  const head = `Chorus ran \`${command}\`${machine === null ? "" : ` on ${machine}`}. ${end}`
  return shown === "" ? head : `${head}\n\n~~~text\n${shown.replaceAll("~~~", "~ ~ ~")}\n~~~`
}

async function returnsInARow({ db }: OperationContext, taskUuid: string): Promise<number> {
  const before = await db
    .selectFrom("handIns")
    .select(["outcome", "decidedByType"])
    .where("taskUuid", "=", taskUuid)
    .where("outcome", "<>", "pending")
    .orderBy("number", "desc")
    .execute()
  const other = before.findIndex(({ outcome, decidedByType }) => outcome !== "returned" || decidedByType !== "system")
  return other === -1 ? before.length : other
}
