import { checks, criteria } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { namesOf, type OperationContext } from "../../operation.ts"

export type CheckRecord = Schema["checks"]

export const PENDING = ["queued", "running"] as const

export async function checkRows(db: Db, records: readonly CheckRecord[]): Promise<checks.CheckRow[]> {
  const nameOf = await namesOf(
    db,
    records.map((record) => record.byUuid),
  )
  return records.map((record) => {
    const {
      output,
      touched,
      byType,
      byUuid,
      machineUuid: _,
      decides: __,
      lease: ___,
      leaseUntil,
      attempts,
      preview,
      port,
      near,
      ...row
    } = record
    void [leaseUntil, attempts]
    return {
      ...row,
      preview: preview === 1 ? { port, near: near === 1 } : null,
      tail: criteria.withoutTerminalCodes(output).slice(-checks.TAIL),
      touched: JSON.parse(touched) as string[],
      by: nameOf(byType, byUuid),
    }
  })
}

/** With which hand-in goes what is checked now: the one that waits or was accepted, else the next. */
export async function presentHandIn(db: Db, taskUuid: string): Promise<number> {
  const task = await db.selectFrom("tasks").select("status").where("uuid", "=", taskUuid).executeTakeFirst()
  const last = await db
    .selectFrom("handIns")
    .select("number")
    .where("taskUuid", "=", taskUuid)
    .orderBy("number", "desc")
    .executeTakeFirst()
  return (last?.number ?? 0) + (task?.status === "to_verify" || task?.status === "done" ? 0 : 1)
}

/** The newest check of each command on the present work. */
export async function presentChecks(db: Db, taskUuid: string): Promise<CheckRecord[]> {
  const records = await db
    .selectFrom("checks")
    .selectAll()
    .where("taskUuid", "=", taskUuid)
    .where("preview", "=", 0)
    .where("handIn", "=", await presentHandIn(db, taskUuid))
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  return [...new Map(records.map((record) => [record.criterionUuid ?? record.command, record])).values()]
}

export function isTrusted({ source, touched }: Pick<CheckRecord, "source" | "touched">): boolean {
  return source !== "agent" && touched === "[]"
}

/** A check as its criterion tells of it. */
export function criterionCheck(record: CheckRecord): NonNullable<criteria.CriterionRow["check"]> {
  const { state, source, exitCode, reason, touched } = record
  return { state, source, trusted: isTrusted(record), exitCode, reason, touched: JSON.parse(touched) as string[] }
}

/** Tells readers how a check stands now. */
export async function tellCheck(
  { db, emit }: OperationContext,
  check: CheckRecord,
  action: "created" | "updated",
): Promise<checks.CheckRow> {
  const [row] = await checkRows(db, [check])
  const { projectUuid } = await db
    .selectFrom("tasks")
    .select("projectUuid")
    .where("uuid", "=", check.taskUuid)
    .executeTakeFirstOrThrow()
  if (row === undefined) throw new Error("a check that was just kept is gone")
  emit({ kind: "check.changed", entityType: "check", entityUuid: row.uuid, projectUuid, action, patch: row })
  return row
}

/** Changes a check, and tells readers how it stands now. */
export async function keep(
  context: OperationContext,
  { uuid }: CheckRecord,
  changes: Partial<CheckRecord>,
): Promise<CheckRecord> {
  const changed = await context.db
    .updateTable("checks")
    .set(changes)
    .where("uuid", "=", uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  await tellCheck(context, changed, "updated")
  return changed
}

/** What a check is before anything has happened to it. */
export const NOT_RUN_YET = {
  state: "queued",
  exitCode: null,
  reason: null,
  durationMs: null,
  output: "",
  outputBytes: 0,
  touched: "[]",
  machineUuid: null,
  machine: null,
  environment: null,
  tree: null,
  runUuid: null,
  decides: 0,
  preview: 0,
  port: null,
  near: 0,
  lease: null,
  leaseUntil: null,
  attempts: 0,
  endedAt: null,
} as const
