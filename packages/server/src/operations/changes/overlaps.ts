import type { changes } from "@chorus/contracts"
import { meetInLines } from "@chorus/core"
import type { Db } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { writeComment } from "../comments/comment-record.ts"
import { sendToRunner } from "../runs/orders.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { filesOf, partsOf, textOf, versionRecords, type VersionRecord } from "./change-record.ts"

/** Work of others that is under way and meets this work in the same lines. */
export interface Overlap {
  readonly taskUuid: string
  readonly name: string
  readonly files: readonly string[]
}

type Known = Pick<VersionRecord, "taskUuid" | "baseCommit" | "repository" | "files">

const NAMED = 5

/** The changes under way in the same project and repository that touch the same lines as this one. */
export async function overlapsOf(db: Db, task: TaskRecord, version: Known): Promise<Overlap[]> {
  const others = await db
    .selectFrom("tasks as t")
    .innerJoin("changeVersions as v", "v.taskUuid", "t.uuid")
    .select(["t.uuid", "t.shortId", "t.title"])
    .select(({ fn }) => fn.max("v.number").as("newest"))
    .where("t.projectUuid", "=", task.projectUuid)
    .where("t.status", "in", ["in_progress", "to_verify"])
    .where("t.uuid", "<>", task.uuid)
    .groupBy(["t.uuid", "t.shortId", "t.title"])
    .orderBy("t.uuid")
    .execute()
  const found: Overlap[] = []
  for (const { uuid: taskUuid, shortId, title } of others) {
    const other = (await versionRecords(db, taskUuid)).at(-1)
    if (other === undefined || !isSameRepository(version, other)) continue
    const files = await sharedFiles(db, version, other)
    if (files.length > 0) found.push({ taskUuid, name: `${shortId ?? ""} ${title}`.trim(), files })
  }
  return found
}

export function overlapPoints(overlaps: readonly Overlap[]): changes.ChangePoint[] {
  return overlaps.flatMap(({ name, files }) =>
    files.map((path) => ({ kind: "overlap" as const, path, what: `${name} changes the same lines` })),
  )
}

/**
 * Tells both sides of what is new in this version: each task gets a comment, and a run that is at work there hears it.
 */
export async function tellOverlaps(
  context: OperationContext,
  task: TaskRecord,
  before: readonly Overlap[],
  now: readonly Overlap[],
): Promise<void> {
  const known = new Set(before.flatMap(({ taskUuid, files }) => files.map((file) => `${taskUuid} ${file}`)))
  for (const { taskUuid, name, files } of now) {
    const fresh = files.filter((file) => !known.has(`${taskUuid} ${file}`))
    if (fresh.length === 0) continue
    const other = await findTask(context.db, taskUuid)
    await say(context, task, name, fresh)
    await say(context, other, `${task.shortId ?? ""} ${task.title}`.trim(), fresh)
    await steer(context, other, `${task.shortId ?? ""} ${task.title}`.trim(), fresh)
  }
}

async function say(context: OperationContext, task: TaskRecord, name: string, files: readonly string[]) {
  const actor = { ...context.actor, type: "system", uuid: "chorus", name: "Chorus" } as const
  const content = `${sentence(name, files)} Whoever lands later will have to settle it.`
  const { projectUuid, uuid: targetUuid } = task
  await writeComment({ ...context, actor }, { projectUuid, targetType: "task", targetUuid, parentUuid: null, content })
}

async function steer(context: OperationContext, task: TaskRecord, name: string, files: readonly string[]) {
  const run = await context.db
    .selectFrom("runs")
    .select(["uuid", "machineUuid"])
    .where("taskUuid", "=", task.uuid)
    .where("work", "=", "build")
    .where("state", "=", "running")
    .executeTakeFirst()
  if (run === undefined || run.machineUuid === null) return
  const text = `${sentence(name, files)} Keep your own change there as small as it can be, and go on; end as you were told to.`
  await sendToRunner(
    context,
    { order: "send", runUuid: run.uuid, text, by: "Chorus" },
    { kind: "order", title: task.title, tag: `run:${run.uuid}` },
  )
}

function sentence(name: string, files: readonly string[]): string {
  const named = files.slice(0, NAMED).map((file) => `\`${file.replaceAll("`", "'")}\``)
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more files` : ""
  return `"${name}", which is under way, changes the same lines in ${named.join(", ")}${more}.`
}

async function sharedFiles(db: Db, one: Known, other: Known): Promise<string[]> {
  const nameOf = ({ path, oldPath }: changes.ChangeFile) => oldPath ?? path
  const theirs = new Map(filesOf(other).map((file) => [nameOf(file), file]))
  const shared = filesOf(one).flatMap((mine) => {
    const their = theirs.get(nameOf(mine))
    return their === undefined || mine.folded || their.folded ? [] : [{ mine, their }]
  })
  if (shared.length === 0) return []
  const ours = await patchesOf(
    db,
    one.taskUuid,
    shared.map(({ mine }) => mine),
  )
  const others = await patchesOf(
    db,
    other.taskUuid,
    shared.map(({ their }) => their),
  )
  const sameBase = one.baseCommit !== null && one.baseCommit === other.baseCommit
  return shared
    .filter(({ mine, their }) => meetInLines(ours(mine), others(their), sameBase))
    .map(({ mine }) => mine.path)
}

async function patchesOf(db: Db, taskUuid: string, files: readonly changes.ChangeFile[]) {
  const parts = await partsOf(
    db,
    taskUuid,
    files.map(({ patchSha }) => patchSha),
  )
  return (file: changes.ChangeFile) => {
    const bytes = parts.get(file.patchSha ?? "")
    return { ...file, patch: bytes === undefined ? "" : textOf(bytes).text }
  }
}

function isSameRepository(one: Known, other: Known): boolean {
  const [mine, theirs] = [one, other].map(
    ({ repository }) => (JSON.parse(repository) as changes.RepositoryIdentity).roots,
  )
  if (mine === undefined || theirs === undefined || mine.length === 0 || theirs.length === 0) return true
  return mine.some((root) => theirs.includes(root))
}
