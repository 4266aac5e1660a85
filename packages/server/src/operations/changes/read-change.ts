import { changes } from "@chorus/contracts"
import { patchRows } from "@chorus/core"
import { type Db, othersFirst } from "@chorus/store"
import { costly, notFound, operation, type OperationContext } from "../../operation.ts"
import { unifiedDiff } from "../documents/text-diff.ts"
import { filesOf, partsOf, textOf, versionNumbered, versionRecords, versionRows } from "./change-record.ts"
import { checkRows, presentChecks } from "../checks/check-record.ts"
import { findTask } from "../tasks/task-record.ts"
import { withPresentOverlaps } from "./overlaps.ts"
import { placedThreads } from "./threads.ts"

type Asked = { readonly taskUuid: string; readonly files?: readonly string[] | undefined; readonly room: number }

export const getChange = costly(changes.getChange, async (context, input) => {
  const { db } = context
  const records = await presentRecords(db, input.taskUuid)
  const checked = await checkRows(db, await presentChecks(db, input.taskUuid))
  const checks = checked.map((check) => (check.state === "passed" ? { ...check, tail: "" } : check))
  if (records.length === 0) return { ...NOTHING, checks }
  const shown = versionNumbered(records, input.version)
  const since = input.since === undefined ? undefined : versionNumbered(records, input.since)
  const files = filesOf(shown)
  const read =
    since === undefined ? await withPatches(db, files, input) : await compared(db, filesOf(since), files, input)
  return {
    version: (await versionRows(db, [shown]))[0] ?? null,
    since: since?.number ?? null,
    ...read,
    versions: await versionRows(db, records),
    threads: await placedThreads(db, input.taskUuid, files),
    checks,
    ...(await viewsOf(context, input.taskUuid, files)),
  }
})

async function presentRecords(db: Db, taskUuid: string) {
  const records = await versionRecords(db, taskUuid)
  const newest = records.at(-1)
  if (newest === undefined) return []
  return [...records.slice(0, -1), await withPresentOverlaps(db, await findTask(db, taskUuid), newest)]
}

export const getChangeContent = operation(changes.getChangeContent, async ({ db }, { taskUuid, sha256 }) => {
  const bytes = (await partsOf(db, taskUuid, [sha256])).get(sha256)
  if (bytes === undefined) throw notFound("content", sha256)
  return { contentBase64: bytes.toString("base64") }
})

/** These are one person's own and change nothing that others see, so the log does not tell of them. */
export const viewChange = operation(changes.viewChange, async ({ db, actor }, { taskUuid, version, file, viewed }) => {
  const record = versionNumbered(await versionRecords(db, taskUuid), version)
  const patchSha = file === undefined ? "" : filesOf(record).find(({ path }) => path === file)?.patchSha
  if (patchSha === undefined) throw notFound("file", file ?? "")
  const row = { taskUuid, userUuid: actor.uuid, file: file ?? "", patchSha: viewed ? (patchSha ?? "") : "-", version }
  await db
    .insertInto("changeViews")
    .values(row)
    .onConflict((conflict) => conflict.columns(["taskUuid", "userUuid", "file"]).doUpdateSet(row))
    .execute()
  return { version, viewed }
})

const NOTHING = {
  version: null,
  since: null,
  files: [],
  leftOut: [],
  versions: [],
  threads: [],
  lookedAt: null,
  viewed: [],
}

/** Patches until there is no more room, those that were asked for by name before all others. */
async function withPatches(db: Db, files: readonly changes.ChangeFile[], { taskUuid, files: named, room }: Asked) {
  const wanted = files.filter((file) => (named === undefined ? !file.folded : named.includes(file.path)))
  const parts = await partsOf(db, taskUuid, room === 0 ? [] : wanted.map(({ patchSha }) => patchSha))
  const left = { room }
  const leftOut: string[] = []
  const read = files
    .filter(({ path }) => named === undefined || named.includes(path))
    .map((file): changes.ReadFile => {
      const bytes = parts.get(file.patchSha ?? "")
      const patch = bytes === undefined ? undefined : textOf(bytes)
      if (patch === undefined || patch.text.length > left.room) {
        if (file.patchSha !== null) leftOut.push(file.path)
        return file
      }
      left.room -= patch.text.length
      return { ...file, patch: patch.text, encoding: patch.encoding }
    })
  return { files: read, leftOut }
}

/** What one version made of each file against what another did. Where the contents are not kept, that they differ is all there is to say. */
async function compared(
  db: Db,
  before: readonly changes.ChangeFile[],
  after: readonly changes.ChangeFile[],
  { taskUuid, files: named, room }: Asked,
) {
  const [old, now] = [byPath(before), byPath(after)]
  const paths = [...new Set([...now.keys(), ...old.keys()])].filter((path) => {
    const [was, is] = [old.get(path), now.get(path)]
    const same = was !== undefined && is !== undefined && was.patchSha === is.patchSha && was.afterSha === is.afterSha
    return !same && (named === undefined || named.includes(path))
  })
  // A file that one version did not touch is there what it was before the other touched it.
  const sides = paths.map((path) => {
    const [was, is] = [old.get(path), now.get(path)]
    const [left, right] = [
      was === undefined ? is?.beforeSha : was.afterSha,
      is === undefined ? was?.beforeSha : is.afterSha,
    ]
    return { path, was, is, left: left ?? null, right: right ?? null }
  })
  const parts = await partsOf(
    db,
    taskUuid,
    sides.flatMap(({ left, right }) => [left, right]),
  )
  const state = { room }
  const leftOut: string[] = []
  const readOf = ({ path, was, is, left, right }: (typeof sides)[number]): changes.ReadFile[] => {
    const file = is ?? was
    if (file === undefined || (left !== null && left === right)) return []
    const facts = {
      ...file,
      path,
      oldPath: null,
      additions: 0,
      deletions: 0,
      rows: 0,
      patchSha: null,
      beforeSha: left,
      afterSha: right,
    }
    const known = (sha: string | null, side: changes.ChangeFile | undefined) =>
      sha === null ? (isGone(side) ? "" : undefined) : parts.get(sha)
    const [one, other] = [known(left, was), known(right, is)]
    if (file.binary || one === undefined || other === undefined) return [{ ...facts, omitted: "not_kept" }]
    const read = (bytes: Buffer | string) => (typeof bytes === "string" ? bytes : textOf(bytes).text)
    const patch = unifiedDiff(path, read(one), read(other))
    if (patch.length > state.room) leftOut.push(path)
    else state.room -= patch.length
    const rows = patchRows(patch)
    const count = (kind: string) => rows.filter((row) => row.kind === kind).length
    const counted = { ...facts, additions: count("added"), deletions: count("removed"), rows: rows.length }
    return [leftOut.includes(path) ? counted : { ...counted, patch, encoding: "utf8" }]
  }
  const files: changes.ReadFile[] = []
  for (const side of sides) {
    files.push(...readOf(side))
    await othersFirst()
  }
  return { files, leftOut }
}

/** Nothing was there: the file did not exist on that side. */
function isGone(file: changes.ChangeFile | undefined): boolean {
  return file === undefined || file.status === "deleted" || file.size === 0
}

function byPath(files: readonly changes.ChangeFile[]): Map<string, changes.ChangeFile> {
  return new Map(files.map((file) => [file.path, file]))
}

async function viewsOf({ db, actor }: OperationContext, taskUuid: string, files: readonly changes.ChangeFile[]) {
  const rows = await db
    .selectFrom("changeViews")
    .select(["file", "patchSha", "version"])
    .where("taskUuid", "=", taskUuid)
    .where("userUuid", "=", actor.uuid)
    .execute()
  const shas = new Map(files.map((file) => [file.path, file.patchSha ?? ""]))
  return {
    lookedAt: rows.find(({ file }) => file === "")?.version ?? null,
    viewed: rows.flatMap(({ file, patchSha }) => (file !== "" && shas.get(file) === patchSha ? [file] : [])),
  }
}
