import { changes, ChorusError } from "@chorus/contracts"
import { changePoints, isFinished, patchHead, patchSections, withoutSecrets } from "@chorus/core"
import { lock } from "@chorus/store"
import { operation, type OperationContext } from "../../operation.ts"
import { checkAnew } from "../checks/check-queue.ts"
import { reservedByOthers } from "../task-work/brief.ts"
import { lastHandInNumber } from "../tasks/hand-in.ts"
import { assertMayWork, criteriaOf, findTask, type TaskRecord } from "../tasks/task-record.ts"
import {
  filesOf,
  keepPart,
  missingParts,
  partsOf,
  textOf,
  unpacked,
  versionRecords,
  type VersionRecord,
  versionRows,
} from "./change-record.ts"
import { forgetLook } from "./look-record.ts"
import { newOverlaps, overlapPoints, tellOverlaps } from "./overlaps.ts"

const MOST_ROWS = 5000
const NAMED = 5

type Sent = Omit<changes.CapturedChange, "tree"> & {
  readonly tree: string | null
  readonly origin: VersionRecord["origin"]
}

export const sendChange = operation(changes.sendChange, async (context, { taskUuid, origin, run, change, parts }) => {
  const task = await findTask(context.db, taskUuid)
  if (run === undefined) await assertMayPush(context, task)
  else await assertHeldRun(context, task, run)
  for (const { sha256, gzip } of parts) await keepPart(context.db, taskUuid, unpacked(sha256, gzip))
  const named = change.files.flatMap(({ patchSha, beforeSha, afterSha }) => [patchSha, beforeSha, afterSha])
  const missing = await missingParts(
    context.db,
    taskUuid,
    named.filter((sha) => sha !== null),
  )
  if (missing.length > 0) return { version: null, missing }
  return { version: await keepVersion(context, task, { ...change, origin }), missing: [] }
})

/** For whoever has no Chorus on the machine: the patch alone tells the files. */
export const pushChange = operation(changes.pushChange, async (context, { taskUuid, patch, ...facts }) => {
  const task = await findTask(context.db, taskUuid)
  await assertMayPush(context, task)
  const sections = patchSections(patch)
  if (sections.length === 0) throw noPatch()
  const files: changes.ChangeFile[] = []
  const redacted: string[] = []
  for (const section of sections.slice(0, changes.MOST_FILES)) {
    const head = patchHead(section)
    const clean = withoutSecrets(head.path, section)
    if (clean !== section) redacted.push(head.path)
    const patchSha = await keepPart(context.db, taskUuid, Buffer.from(clean))
    const kept = { size: null, patchSha, beforeSha: null, afterSha: null, omitted: null }
    files.push({ ...head, ...kept, folded: head.rows > MOST_ROWS })
  }
  const { baseCommit = null, headCommit = null, branch = null } = facts
  return keepVersion(context, task, {
    origin: "agent",
    repository: { roots: [], remotes: [] },
    branch,
    baseRef: null,
    baseCommit,
    headCommit,
    tree: null,
    uncommitted: 0,
    files,
    warnings: [
      "An agent wrote this patch itself; nothing on a machine was looked at.",
      ...(baseCommit === null ? ["It does not say what it was compared with."] : []),
      ...(redacted.length > 0
        ? [`What looks like a secret was left out: ${redacted.slice(0, NAMED).join(", ")}.`]
        : []),
      ...(sections.length > files.length ? [`${sections.length - files.length} more files are not shown.`] : []),
    ],
  })
})

/** Adds a version, unless it is what the newest one says already. */
async function keepVersion(context: OperationContext, task: TaskRecord, sent: Sent): Promise<changes.ChangeRow> {
  const { db, engine, actor, now, newId, emit } = context
  await lock({ db, engine }, `change:${task.uuid}`)
  const last = (await versionRecords(db, task.uuid)).at(-1)
  const handIn = (await lastHandInNumber(db, task.uuid)) + (task.status === "to_verify" ? 0 : 1)
  if (last !== undefined && last.handIn === handIn && isSame(last, sent)) {
    await forgetLook(db, task.uuid)
    return onlyRow(await versionRows(db, [last]))
  }
  const { repository, warnings, files, ...facts } = sent
  const known = { repository: JSON.stringify(repository), files: JSON.stringify(files), baseCommit: sent.baseCommit }
  // Two that arrive together would else not see each other, and tell nobody.
  await lock({ db, engine }, `overlaps:${task.projectUuid}`)
  const { sameLines, news } = await newOverlaps(context, task, { taskUuid: task.uuid, ...known })
  const record: VersionRecord = {
    uuid: newId(),
    taskUuid: task.uuid,
    number: (last?.number ?? 0) + 1,
    handIn,
    ...facts,
    ...known,
    baseMoved: last !== undefined && last.baseCommit !== sent.baseCommit ? 1 : 0,
    fileCount: files.length,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    warnings: JSON.stringify([...warnings, ...otherRepository(last, repository)]),
    points: JSON.stringify([...(await pointsOf(context, task, files)), ...overlapPoints(sameLines)]),
    createdByType: actor.type,
    createdByUuid: actor.uuid,
    createdAt: now,
  }
  await db.insertInto("changeVersions").values(record).execute()
  const row = onlyRow(await versionRows(db, [record]))
  emit({
    kind: "change.pushed",
    entityType: "change",
    entityUuid: row.uuid,
    projectUuid: task.projectUuid,
    action: "created",
    patch: row,
  })
  await forgetLook(db, task.uuid)
  await tellOverlaps(context, task, news)
  await checkAnew(context, task)
  return row
}

function isSame(last: VersionRecord, sent: Sent): boolean {
  const patchesOf = (files: readonly changes.ChangeFile[]) => files.map(({ path, patchSha }) => [path, patchSha])
  return (
    last.baseCommit === sent.baseCommit &&
    last.headCommit === sent.headCommit &&
    last.tree === sent.tree &&
    JSON.stringify(patchesOf(filesOf(last))) === JSON.stringify(patchesOf(sent.files))
  )
}

function otherRepository(last: VersionRecord | undefined, { roots }: changes.RepositoryIdentity): string[] {
  const before = last === undefined ? [] : (JSON.parse(last.repository) as changes.RepositoryIdentity).roots
  const known = before.length > 0 && roots.length > 0
  return known && !before.some((root) => roots.includes(root))
    ? ["It comes from another repository than the version before."]
    : []
}

async function pointsOf(context: OperationContext, task: TaskRecord, files: readonly changes.ChangeFile[]) {
  const shown = files.filter(({ folded, binary }) => !folded && !binary)
  const parts = await partsOf(
    context.db,
    task.uuid,
    shown.map(({ patchSha }) => patchSha),
  )
  const patchOf = (sha: string | null) => textOf(parts.get(sha ?? "") ?? Buffer.alloc(0)).text
  return changePoints(
    files.map((file) => ({ ...file, patch: file.folded || file.binary ? "" : patchOf(file.patchSha) })),
    {
      commands: (await criteriaOf(context.db, task.uuid)).flatMap(({ command }) => command ?? []),
      reserved: await reservedByOthers(context, task),
    },
  )
}

/** Who holds the task or handed it in tells what they did; a person who may judge it, for them. */
async function assertMayPush(context: OperationContext, task: TaskRecord): Promise<void> {
  if (isFinished(task.status))
    throw new ChorusError("wrong_status", `"${task.title}" is ${task.status}; its change stays as it is.`, {
      status: 409,
      next: "Reopen the task first.",
      details: { taskUuid: task.uuid, status: task.status },
    })
  if (task.submittedByType === context.actor.type && task.submittedByUuid === context.actor.uuid) return
  await assertMayWork(context, task)
}

export async function assertHeldRun(
  { db }: OperationContext,
  task: TaskRecord,
  { runUuid, lease }: { readonly runUuid: string; readonly lease: string },
): Promise<void> {
  const run = await db.selectFrom("runs").select(["taskUuid", "lease"]).where("uuid", "=", runUuid).executeTakeFirst()
  if (run?.lease === lease && run.taskUuid === task.uuid) return
  throw new ChorusError("run_not_held", "This run is not this runner's, or its work is another task.", {
    status: 409,
    next: "End what is left of it here; somebody else decides how it goes on.",
    details: { runUuid },
  })
}

function onlyRow(rows: readonly changes.ChangeRow[]): changes.ChangeRow {
  const [row] = rows
  if (row === undefined) throw new Error("a version that was just kept is gone")
  return row
}

function noPatch(): ChorusError {
  return new ChorusError("no_patch", "This is no patch: no file begins with `diff --git`.", {
    status: 400,
    next: "Send what `git diff` prints, without colours.",
  })
}
