import { changes, ChorusError, type ParsedInputOf, type returned } from "@chorus/contracts"
import { anchorAt, type LineAnchor, lineOf, patchRows, preview } from "@chorus/core"
import type { Db, Schema } from "@chorus/store"
import { forbidden, namesOf, notFound, operation, type OperationContext } from "../../operation.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { filesOf, partsOf, textOf, versionNumbered, versionRecords, type VersionRecord } from "./change-record.ts"

type ThreadRecord = Schema["changeThreads"]
type Said = ParsedInputOf<typeof changes.commentOnChange>["comments"][number]
type Side = ThreadRecord["side"]

export const commentOnChange = operation(changes.commentOnChange, async (context, { taskUuid, version, comments }) => {
  const task = await findTask(context.db, taskUuid)
  const records = await versionRecords(context.db, taskUuid)
  const shown = versionNumbered(records, version)
  const newest = records.at(-1) ?? shown
  const touched = new Set<string>()
  for (const said of comments) {
    const thread =
      said.threadUuid === undefined
        ? await begin(context, shown, said)
        : await findThread(context.db, taskUuid, said.threadUuid)
    if (said.text !== undefined) await say(context, thread.uuid, newest.number, said.text)
    if (said.resolved !== undefined) await settle(context, task, thread, said.resolved)
    const [row] = await threadRows(context.db, [await findThread(context.db, taskUuid, thread.uuid)])
    if (row === undefined) continue
    touched.add(row.uuid)
    context.emit({
      kind: "change.commented",
      entityType: "change_thread",
      entityUuid: row.uuid,
      projectUuid: task.projectUuid,
      action: said.threadUuid === undefined ? "created" : "updated",
      patch: row,
    })
  }
  const all = await threadRows(context.db, await threadsOf(context.db, taskUuid))
  return { threads: [...touched].flatMap((uuid) => all.filter((row) => row.uuid === uuid)) }
})

/** A thread begins at a line that can be seen: of the file's content where that is kept, else of its patch. */
async function begin({ db, now, newId }: OperationContext, version: VersionRecord, said: Said): Promise<ThreadRecord> {
  const { file, line, side, severity, suggestion, text } = said
  if (file === undefined || line === undefined || text === undefined) throw noPlace()
  const found = filesOf(version).find(({ path }) => path === file)
  if (found === undefined) throw notFound("file", file)
  const anchor = anchorAt(await linesOf(db, version.taskUuid, found, side), line)
  if (anchor === undefined) throw noLine(file, line, side)
  const thread: ThreadRecord = {
    uuid: newId(),
    taskUuid: version.taskUuid,
    version: version.number,
    file,
    side,
    line,
    anchor: JSON.stringify(anchor),
    severity,
    suggestion: suggestion ?? null,
    state: "open",
    stateByType: null,
    stateByUuid: null,
    stateAt: null,
    createdAt: now,
  }
  await db.insertInto("changeThreads").values(thread).execute()
  return thread
}

async function say({ db, actor, now, newId }: OperationContext, threadUuid: string, version: number, text: string) {
  const author = { authorType: actor.type, authorUuid: actor.uuid }
  await db
    .insertInto("changeComments")
    .values({ uuid: newId(), threadUuid, version, text, ...author, createdAt: now })
    .execute()
}

/** Whoever began a thread settles it, or a person; whoever did the work answers in it. */
async function settle({ db, actor, now }: OperationContext, task: TaskRecord, thread: ThreadRecord, resolved: boolean) {
  const first = await db
    .selectFrom("changeComments")
    .select("authorUuid")
    .where("threadUuid", "=", thread.uuid)
    .orderBy("createdAt")
    .orderBy("uuid")
    .executeTakeFirst()
  const didTheWork = task.submittedByUuid === actor.uuid || task.assigneeUuid === actor.uuid
  if (first?.authorUuid !== actor.uuid && (actor.type === "agent" || (didTheWork && task.submittedByType === "user")))
    throw forbidden(
      "A thread is settled by whoever began it, or by a person who did not do the work.",
      "Answer in the thread, and leave it to them.",
    )
  await db
    .updateTable("changeThreads")
    .set({
      state: resolved ? "resolved" : "open",
      stateByType: actor.type,
      stateByUuid: actor.uuid,
      stateAt: now,
    })
    .where("uuid", "=", thread.uuid)
    .execute()
}

/** The threads of a task, each where its line stands in these files now. */
export async function placedThreads(
  db: Db,
  taskUuid: string,
  files: readonly changes.ChangeFile[],
): Promise<changes.PlacedThread[]> {
  return placed(db, await threadsOf(db, taskUuid), files)
}

async function placed(
  db: Db,
  records: readonly ThreadRecord[],
  files: readonly changes.ChangeFile[],
): Promise<changes.PlacedThread[]> {
  const rows = await threadRows(db, records)
  const known = new Map<string, ReadonlyMap<number, string>>()
  const found: changes.PlacedThread[] = []
  for (const [at, row] of rows.entries()) {
    const file = files.find(({ path, oldPath }) => path === row.file || oldPath === row.file)
    const key = `${row.side} ${file?.path ?? ""}`
    const lines = known.get(key) ?? (file === undefined ? new Map() : await linesOf(db, row.taskUuid, file, row.side))
    known.set(key, lines)
    const line = lineOf(JSON.parse(records[at]?.anchor ?? "{}") as LineAnchor, lines)
    const now = file === undefined || line === undefined ? null : { file: file.path, line }
    found.push({ ...row, now, outdated: now === null })
  }
  return found
}

/** What is still open when work comes back, blockers first, each where it stands now, with the words of its thread. */
export async function openThreads(db: Db, taskUuid: string): Promise<returned.OpenThread[]> {
  const open = (await threadsOf(db, taskUuid)).filter(({ state }) => state === "open")
  if (open.length === 0) return []
  const newest = (await versionRecords(db, taskUuid)).at(-1)
  const rows = await placed(db, open, newest === undefined ? [] : filesOf(newest))
  return rows
    .toSorted((one, other) => one.severity.localeCompare(other.severity))
    .map(({ uuid, file, line, now, severity, suggestion, comments }) => {
      const by = comments[0]?.author?.name
      return {
        threadUuid: uuid,
        ...(now ?? { file, line, outdated: "its lines have changed since" }),
        severity,
        text: comments.map(({ text }) => text).join("\n\n"),
        ...(suggestion === null ? {} : { suggestion }),
        ...(by === undefined ? {} : { by }),
      }
    })
}

/** Those that somebody called a blocker. */
export async function openBlockers(db: Db, taskUuid: string): Promise<returned.OpenThread[]> {
  return (await openThreads(db, taskUuid)).filter(({ severity }) => severity === "blocker")
}

/** What whoever accepts the work all the same is told. */
export async function blockerWarnings(db: Db, taskUuid: string): Promise<string[]> {
  return (await openBlockers(db, taskUuid)).map(
    ({ file, line, outdated, text, by }) =>
      `A blocker at ${file}:${line} is not resolved${by ? ` (${by})` : ""}: ${preview(text)}${outdated ? ` (outdated: ${outdated})` : ""}`,
  )
}

/** The lines of one side of a file by their numbers. */
async function linesOf(
  db: Db,
  taskUuid: string,
  file: changes.ChangeFile,
  side: Side,
): Promise<ReadonlyMap<number, string>> {
  const contentSha = side === "after" ? file.afterSha : file.beforeSha
  const sha = file.binary ? null : (contentSha ?? file.patchSha)
  const bytes = (await partsOf(db, taskUuid, [sha])).get(sha ?? "")
  if (bytes === undefined) return new Map()
  const { text } = textOf(bytes)
  if (contentSha !== null) return new Map(text.split("\n").map((line, at) => [at + 1, line]))
  return new Map(
    patchRows(text).flatMap((row) => {
      const number = row[side]
      return number === null ? [] : [[number, row.text] as const]
    }),
  )
}

function threadsOf(db: Db, taskUuid: string): Promise<ThreadRecord[]> {
  return db
    .selectFrom("changeThreads")
    .selectAll()
    .where("taskUuid", "=", taskUuid)
    .orderBy("createdAt")
    .orderBy("file")
    .orderBy("line")
    .orderBy("uuid")
    .execute()
}

async function findThread(db: Db, taskUuid: string, uuid: string): Promise<ThreadRecord> {
  const thread = (await threadsOf(db, taskUuid)).find((one) => one.uuid === uuid)
  if (thread === undefined) throw notFound("thread", uuid)
  return thread
}

async function threadRows(db: Db, threads: readonly ThreadRecord[]): Promise<changes.ThreadRow[]> {
  if (threads.length === 0) return []
  const comments = await db
    .selectFrom("changeComments")
    .selectAll()
    .where(
      "threadUuid",
      "in",
      threads.map(({ uuid }) => uuid),
    )
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  const nameOf = await namesOf(db, [
    ...threads.map(({ stateByUuid }) => stateByUuid),
    ...comments.map(({ authorUuid }) => authorUuid),
  ])
  const said = Map.groupBy(comments, ({ threadUuid }) => threadUuid)
  const versionOf = await versionsOf(db, new Set(threads.map(({ taskUuid }) => taskUuid)))
  return threads.map(({ anchor, stateByType, stateByUuid, ...thread }) => ({
    ...thread,
    lineText: (JSON.parse(anchor) as LineAnchor).text,
    stateBy: nameOf(stateByType, stateByUuid),
    comments: (said.get(thread.uuid) ?? []).map(
      ({ uuid, text, createdAt, authorType, authorUuid, ...rest }, _, all) => ({
        uuid,
        text,
        version:
          authorType === "agent" && authorUuid !== all[0]?.authorUuid
            ? versionOf(thread.taskUuid, createdAt)
            : rest.version,
        createdAt,
        author: nameOf(authorType, authorUuid),
      }),
    ),
  }))
}

/**
 * With which version an answer came. Whoever mends may answer before or after the work is seen, and a run shows it at
 * each turn: it is the first that came after the answer and goes with the same hand-in, or else the last before.
 */
async function versionsOf(db: Db, taskUuids: ReadonlySet<string>) {
  const versions = await db
    .selectFrom("changeVersions")
    .select(["taskUuid", "number", "handIn", "createdAt"])
    .where("taskUuid", "in", [...taskUuids])
    .orderBy("number")
    .execute()
  const decided = await db
    .selectFrom("handIns")
    .select(["taskUuid", "decidedAt"])
    .where("taskUuid", "in", [...taskUuids])
    .where("decidedAt", "is not", null)
    .execute()
  return (taskUuid: string, at: string): number => {
    const before = decided.filter((handIn) => handIn.taskUuid === taskUuid && (handIn.decidedAt ?? "") <= at)
    const own = versions.filter((version) => version.taskUuid === taskUuid)
    const sameHandIn = own.filter(({ handIn, createdAt }) => handIn === before.length + 1 && createdAt >= at)
    return (sameHandIn[0] ?? own.findLast(({ createdAt }) => createdAt <= at))?.number ?? 1
  }
}

function noPlace(): ChorusError {
  return new ChorusError("no_place", "A comment that begins a thread needs file, line and text.", {
    status: 400,
    next: "Name them, or the threadUuid of the thread that it goes on with.",
  })
}

function noLine(file: string, line: number, side: Side): ChorusError {
  return new ChorusError("no_such_line", `${file} has no line ${line} ${side} the change that could be shown.`, {
    status: 400,
    next: "Read the change with chorus_get_change and take a line from its patch.",
  })
}
