import { checks, criteria } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { namesOf, type OperationContext } from "../../operation.ts"
import { type VersionMark, versionMarks } from "../changes/change-record.ts"

export type CheckRecord = Schema["checks"]

export const PENDING = ["queued", "running"] as const

export async function checkRows(db: Db, records: readonly CheckRecord[]): Promise<checks.CheckRow[]> {
  const nameOf = await namesOf(
    db,
    records.map((record) => record.byUuid),
  )
  const standing = await standingsOf(db, records)
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
      ...standing(record),
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

/** A check, and whether it says nothing of the work as that is now. */
export interface PresentCheck extends CheckRecord {
  readonly outdated: boolean
}

/** The newest check of each command since the last hand-in. */
export async function presentChecks(db: Db, taskUuid: string): Promise<PresentCheck[]> {
  const records = await db
    .selectFrom("checks")
    .selectAll()
    .where("taskUuid", "=", taskUuid)
    .where("preview", "=", 0)
    .where("handIn", "=", await presentHandIn(db, taskUuid))
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  const standing = await standingsOf(db, records)
  return newestOfEach(records).map((record) => ({ ...record, outdated: standing(record).outdated }))
}

/** Of several of a command the last. */
export function newestOfEach<T extends Pick<CheckRecord, "criterionUuid" | "command">>(records: readonly T[]): T[] {
  return [...new Map(records.map((record) => [record.criterionUuid ?? record.command, record])).values()]
}

export function isTrusted({ source, touched, outdated }: Pick<PresentCheck, "source" | "touched" | "outdated">) {
  return source !== "agent" && touched === "[]" && !outdated
}

/** Which version of the work each ran on, and whether that is another by now. */
async function standingsOf(db: Db, records: readonly CheckRecord[]) {
  const marks = new Map<string, readonly VersionMark[]>()
  for (const { taskUuid } of records) if (!marks.has(taskUuid)) marks.set(taskUuid, await versionMarks(db, taskUuid))
  return (record: CheckRecord): Pick<checks.CheckRow, "version" | "outdated"> => {
    const versions = marks.get(record.taskUuid) ?? []
    const version = record.tree === null ? undefined : versions.findLast(({ tree }) => tree === record.tree)
    return { version: version?.number ?? null, outdated: isOutdated(record, versions.at(-1)) }
  }
}

/** By their trees, where git named both; else by which was there first. */
function isOutdated({ state, tree, endedAt }: CheckRecord, newest: VersionMark | undefined): boolean {
  if (newest === undefined || endedAt === null || state === "not_run") return false
  return tree !== null && newest.tree !== null ? tree !== newest.tree : endedAt < newest.createdAt
}

/** A check as its criterion tells of it. */
export function criterionCheck(check: PresentCheck): NonNullable<criteria.CriterionRow["check"]> {
  const { state, source, outdated, exitCode, reason } = check
  const touched = JSON.parse(check.touched) as string[]
  return { state, source, trusted: isTrusted(check), outdated, exitCode, reason, touched }
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
