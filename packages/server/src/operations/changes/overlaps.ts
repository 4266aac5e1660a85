import type { changes } from "@chorus/contracts"
import { globsOverlap, meetInLines } from "@chorus/core"
import type { Db } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { writeComment } from "../comments/comment-record.ts"
import { sendToRunner } from "../runs/orders.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { newestOf, partsOf, textOf, type VersionRecord } from "./change-record.ts"
import { type FileOfWork, lookOf } from "./look-record.ts"

/** Work of others that is under way and meets this work: in the same lines, or in files that it has reserved. */
export interface Overlap {
  readonly by: "lines" | "reservation"
  readonly taskUuid: string
  readonly name: string
  readonly files: readonly string[]
}

type Known = Pick<VersionRecord, "taskUuid" | "baseCommit" | "repository" | "files">
/** What is known of with whom it met. */
type Met = Pick<VersionRecord, "points">

const NAMED = 5
const UNDER_WAY: TaskRecord["status"][] = ["in_progress", "to_verify"]

/** The changes under way in the same project and repository that touch the same lines as this one does now. */
async function sameLinesOf(db: Db, task: TaskRecord, version: Known): Promise<Overlap[]> {
  const found: Overlap[] = []
  for (const { version: other, ...about } of await changesUnderWay(db, task)) {
    const files = isSameRepository(version, other) ? await sharedFiles(db, version, other) : []
    if (files.length > 0) found.push({ by: "lines", ...about, files })
  }
  return found
}

/** What others have reserved and this change touches. */
async function reservedBy(context: OperationContext, task: TaskRecord, version: Known): Promise<Overlap[]> {
  const found: Overlap[] = []
  const reserved = await context.db
    .selectFrom("reservations as r")
    .innerJoin("tasks as t", "t.uuid", "r.taskUuid")
    .select(["r.glob", "t.uuid", "t.shortId", "t.title"])
    .where("r.projectUuid", "=", task.projectUuid)
    .where("r.taskUuid", "<>", task.uuid)
    .where("r.releasedAt", "is", null)
    .where("r.expiresAt", ">", context.now)
    .orderBy("t.uuid")
    .execute()
  for (const [taskUuid, rows] of Map.groupBy(reserved, ({ uuid }) => uuid)) {
    const globs = rows.map(({ glob }) => glob)
    const files = filesWithin(version, globs)
    const [row] = rows
    if (row !== undefined && files.length > 0) found.push({ by: "reservation", taskUuid, name: nameOf(row), files })
  }
  return found
}

export function overlapPoints(overlaps: readonly Overlap[]): changes.ChangePoint[] {
  return overlaps
    .filter(({ by }) => by === "lines")
    .flatMap(({ name, taskUuid, files }) =>
      files.map((path) => ({ kind: "overlap" as const, path, what: `${name} changes the same lines`, taskUuid })),
    )
}

/**
 * The newest version as it stands to others now. Which of two came later is known to its own version alone, and what
 * they met in may have gone since.
 */
export async function withPresentOverlaps(db: Db, task: TaskRecord, newest: VersionRecord): Promise<VersionRecord> {
  if (!UNDER_WAY.includes(task.status)) return newest
  const others = pointsIn(newest).filter(({ kind }) => kind !== "overlap")
  return { ...newest, points: JSON.stringify([...others, ...overlapPoints(await sameLinesOf(db, task, newest))]) }
}

/** With whom this work meets now, and of that what nobody has been told yet. */
export async function newOverlaps(context: OperationContext, task: TaskRecord, work: Known) {
  const { db } = context
  const last = await newestWork(db, task.uuid)
  const sameLines = await sameLinesOf(db, task, work)
  const reserved = await reservedBy(context, task, work)
  const reservedBefore = last === undefined || reserved.length === 0 ? [] : await reservedBy(context, task, last)
  return { sameLines, news: [...(await untold(db, task, sameLines)), ...newSince(reservedBefore, reserved)] }
}

/** Of these, those in the same lines that neither side's newest work knows of. */
async function untold(db: Db, task: TaskRecord, now: readonly Overlap[]): Promise<Overlap[]> {
  const found: Overlap[] = []
  for (const overlap of now) {
    const known = new Set([
      ...(await metBy(db, task.uuid, overlap.taskUuid)),
      ...(await metBy(db, overlap.taskUuid, task.uuid)),
    ])
    found.push({ ...overlap, files: overlap.files.filter((file) => !known.has(file)) })
  }
  return found
}

/** In which files a task's work is known to meet another's. */
async function metBy(db: Db, taskUuid: string, other: string): Promise<string[]> {
  const known = [await newestOf(db, taskUuid), await lookOf(db, taskUuid)].filter((work) => work !== undefined)
  return known.flatMap(pointsIn).flatMap((point) => (point.taskUuid === other ? [point.path] : []))
}

/** What a task's run has changed so far in its turn; where none goes on, its newest version. */
async function newestWork(db: Db, taskUuid: string): Promise<Known | undefined> {
  return (await lookOf(db, taskUuid)) ?? newestOf(db, taskUuid)
}

function pointsIn({ points }: Met): changes.ChangePoint[] {
  return JSON.parse(points) as changes.ChangePoint[]
}

/** Of these, those that the version before did not meet. */
function newSince(before: readonly Overlap[], now: readonly Overlap[]): Overlap[] {
  const known = new Map(before.map(({ taskUuid, files }) => [taskUuid, files]))
  return now.map((overlap) => ({
    ...overlap,
    files: overlap.files.filter((file) => known.get(overlap.taskUuid)?.includes(file) !== true),
  }))
}

/**
 * Tells both sides: each task gets a comment, and a run that is at work there hears it; the one whose work this is as
 * well, where its turn goes on.
 */
export async function tellOverlaps(
  context: OperationContext,
  task: TaskRecord,
  overlaps: readonly Overlap[],
  { isAtWork = false }: { readonly isAtWork?: boolean } = {},
): Promise<void> {
  for (const { by, taskUuid, files: fresh } of overlaps) {
    if (fresh.length === 0) continue
    const other = await findTask(context.db, taskUuid)
    const [theirs, ours] = await orderOf(context.db, task, other)
    const heard = by === "lines" ? sameLines : hasReserved
    await say(context, task, heard(linkTo(other), fresh, theirs), theirs)
    if (isAtWork) await steer(context, task, heard(`"${nameOf(other)}"`, fresh, theirs))
    const told = by === "lines" ? sameLines : changesReserved
    await say(context, other, told(linkTo(task), fresh, ours), ours)
    await steer(context, other, told(`"${nameOf(task)}"`, fresh, ours))
  }
}

/** How the other side stands in the graph: what one builds on lands before it. */
type Order = "before" | "after" | "beside"

const STANDS: Record<Order, string> = {
  before: "this work builds on",
  after: "builds on this work",
  beside: "is under way",
}
const SETTLES: Record<Order, string> = {
  before: "That lands first, and this work will have to settle it.",
  after: "This lands first, and that will have to settle it.",
  beside: "Whoever lands later will have to settle it.",
}

/** How the other stands to the task, and the task to the other. */
async function orderOf(db: Db, task: TaskRecord, other: TaskRecord): Promise<[Order, Order]> {
  const edges = await db
    .selectFrom("taskEdges as e")
    .innerJoin("tasks as t", "t.uuid", "e.taskUuid")
    .select(["e.taskUuid", "e.dependsOnUuid"])
    .where("t.projectUuid", "=", task.projectUuid)
    .execute()
  const needs = Map.groupBy(edges, ({ taskUuid }) => taskUuid)
  const buildsOn = (from: string, what: string): boolean => {
    const seen = new Set([from])
    for (const uuid of seen) for (const { dependsOnUuid } of needs.get(uuid) ?? []) seen.add(dependsOnUuid)
    return seen.has(what)
  }
  if (buildsOn(task.uuid, other.uuid)) return ["before", "after"]
  return buildsOn(other.uuid, task.uuid) ? ["after", "before"] : ["beside", "beside"]
}

/** Tells both sides where a task reserves what open changes of others touch already. */
export async function tellReserved(context: OperationContext, task: TaskRecord, globs: readonly string[]) {
  for (const { taskUuid, version } of await changesUnderWay(context.db, task)) {
    const files = filesWithin(version, globs)
    if (files.length === 0) continue
    const other = await findTask(context.db, taskUuid)
    await say(context, task, changesReserved(linkTo(other), files))
    await say(context, other, hasReserved(linkTo(task), files))
    await steer(context, other, hasReserved(`"${nameOf(task)}"`, files))
  }
}

/** The newest of each other change in the project that nobody has accepted yet, turns that go on included. */
async function changesUnderWay(db: Db, task: TaskRecord) {
  const others = await db
    .selectFrom("tasks as t")
    .select(["t.uuid", "t.shortId", "t.title"])
    .where("t.projectUuid", "=", task.projectUuid)
    .where("t.status", "in", UNDER_WAY)
    .where("t.uuid", "<>", task.uuid)
    .where(({ or, eb }) =>
      or([
        eb("t.uuid", "in", db.selectFrom("changeVersions").select("taskUuid")),
        eb("t.uuid", "in", db.selectFrom("changeLooks").select("taskUuid")),
      ]),
    )
    .orderBy("t.uuid")
    .execute()
  const found: { taskUuid: string; name: string; version: Known }[] = []
  for (const other of others) {
    const version = await newestWork(db, other.uuid)
    if (version !== undefined) found.push({ taskUuid: other.uuid, name: nameOf(other), version })
  }
  return found
}

function filesWithin(version: Pick<Known, "files">, globs: readonly string[]): string[] {
  return filesIn(version)
    .map(({ path }) => path)
    .filter((path) => globs.some((glob) => globsOverlap(glob, path)))
}

function nameOf({ shortId, title }: Pick<TaskRecord, "shortId" | "title">): string {
  return `${shortId ?? ""} ${title}`.trim()
}

/** The page shows a short id as a link with the title. */
function linkTo({ shortId, title }: Pick<TaskRecord, "shortId" | "title">): string {
  return shortId ?? `"${title}"`
}

async function say(context: OperationContext, task: TaskRecord, what: string, order: Order = "beside") {
  const actor = { ...context.actor, type: "system", uuid: "chorus", name: "Chorus" } as const
  const content = `${what} ${SETTLES[order]}`
  const { projectUuid, uuid: targetUuid } = task
  await writeComment({ ...context, actor }, { projectUuid, targetType: "task", targetUuid, parentUuid: null, content })
}

async function steer(context: OperationContext, task: TaskRecord, what: string) {
  const run = await context.db
    .selectFrom("runs")
    .select(["uuid", "machineUuid"])
    .where("taskUuid", "=", task.uuid)
    .where("work", "=", "build")
    .where("state", "=", "running")
    .executeTakeFirst()
  if (run === undefined || run.machineUuid === null) return
  const text = `${what} Keep your own change there as small as it can be, and go on; end as you were told to.`
  await sendToRunner(
    context,
    { order: "send", runUuid: run.uuid, text, by: "Chorus" },
    { kind: "order", title: task.title, tag: `run:${run.uuid}` },
  )
}

function sameLines(name: string, files: readonly string[], order: Order): string {
  return `${name}, which ${STANDS[order]}, changes the same lines in ${named(files)}.`
}

function hasReserved(name: string, files: readonly string[]): string {
  return `${name} has reserved what this work changes: ${named(files)}.`
}

function changesReserved(name: string, files: readonly string[], order: Order = "beside"): string {
  return `${name}, which ${STANDS[order]}, changes what is reserved for this task: ${named(files)}.`
}

function named(files: readonly string[]): string {
  const shown = files.slice(0, NAMED).map((file) => `\`${file.replaceAll("`", "'")}\``)
  return `${shown.join(", ")}${files.length > NAMED ? ` and ${files.length - NAMED} more files` : ""}`
}

async function sharedFiles(db: Db, one: Known, other: Known): Promise<string[]> {
  const pathOf = ({ path, oldPath }: FileOfWork) => oldPath ?? path
  const isFolded = (file: FileOfWork) => "folded" in file && file.folded
  const theirs = new Map(filesIn(other).map((file) => [pathOf(file), file]))
  const shared = filesIn(one).flatMap((mine) => {
    const their = theirs.get(pathOf(mine))
    return their === undefined || isFolded(mine) || isFolded(their) ? [] : [{ mine, their }]
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

function filesIn({ files }: Pick<Known, "files">): FileOfWork[] {
  return JSON.parse(files) as FileOfWork[]
}

async function patchesOf(db: Db, taskUuid: string, files: readonly FileOfWork[]) {
  const parts = await partsOf(
    db,
    taskUuid,
    files.map((file) => ("patchSha" in file ? file.patchSha : null)),
  )
  return (file: FileOfWork) => {
    if ("patch" in file) return file
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
