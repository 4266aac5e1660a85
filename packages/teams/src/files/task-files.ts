import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { TeamTask } from "@chorus/contracts"
import { type HeldLock, isErrno, replaceFile } from "@chorus/disk"
import { teamGone } from "./file-fault.ts"
import { replaceNoted } from "./noted-append.ts"
import { patiently, readJson, tryReadJson, Unfinished } from "./patient-json.ts"
import { withTeamLock } from "./team-lock.ts"
import { entriesOf, refuseLinks, type TeamPaths } from "./team-paths.ts"

/** Longer numbers are nobody's: counting on from one would give the same number twice. */
const TASK_FILE = /^([0-9]{1,15})\.json$/
const LARGEST = 999_999_999_999_999

/** All tasks by id, in number order. */
export async function readTasks(paths: TeamPaths): Promise<Map<string, TeamTask>> {
  refuseLinks(paths.tasks)
  const tasks = new Map<string, TeamTask>()
  for (const id of taskIds(paths)) {
    const task = parseTask(id, await readJson(paths.task(id)))
    if (task !== undefined) tasks.set(id, task)
  }
  return tasks
}

/** A change decided from the whole list: tasks to write, ids to remove. */
export interface TaskChange<T> {
  readonly write: readonly TeamTask[]
  readonly remove?: readonly string[]
  readonly result: T
}

/**
 * Decides on the whole list and writes the outcome, under the list's lock and, because Claude Code takes only that one for an
 * update, under the lock of every file that changes. The first decision says which locks are needed; it is made again under them.
 * The last file that is written leaves the note, if one is wanted; what comes before it may be done twice.
 */
export async function changeTasks<T>(
  paths: TeamPaths,
  decide: (tasks: Map<string, TeamTask>, nextId: string) => TaskChange<T>,
  note?: string,
): Promise<T> {
  prepare(paths)
  const tasks = await readTasks(paths)
  let wanted = touchedBy(decide(tasks, nextId(paths, tasks))).filter((id) => tasks.has(id))
  for (;;) {
    const locked = wanted
    const outcome = await patiently(paths.tasks, () =>
      withTeamLock(paths, [paths.taskListLock, ...locked.map((id) => paths.task(id))], (held) => {
        const now = readTasksNow(paths)
        const change = decide(now, nextId(paths, now))
        const missing = touchedBy(change).filter((id) => now.has(id) && !locked.includes(id))
        if (missing.length > 0) return { missing }
        apply(paths, change, now, held, note)
        return { change }
      }),
    )
    if (outcome.change !== undefined) return outcome.change.result
    wanted = [...locked, ...outcome.missing].sort(byNumber)
  }
}

function apply<T>(
  paths: TeamPaths,
  change: TaskChange<T>,
  tasks: Map<string, TeamTask>,
  held: HeldLock,
  note: string | undefined,
): void {
  for (const task of change.write) {
    const text = JSON.stringify(task, null, 2)
    if (note !== undefined && task === change.write.at(-1)) replaceNoted(paths, paths.task(task.id), text, held, note)
    else replaceFile(paths.task(task.id), text, { held })
  }
  const remove = change.remove ?? []
  if (remove.length === 0) return
  // An id is never given twice, so the highest one must outlive its file.
  const highest = Math.max(highwatermark(paths), ...[...tasks.keys(), ...remove].map(Number))
  replaceFile(paths.highwatermark, String(highest), { held })
  for (const id of remove) rmSync(paths.task(id), { force: true })
}

function touchedBy(change: TaskChange<unknown>): string[] {
  return [...new Set([...change.write.map((task) => task.id), ...(change.remove ?? [])])].sort(byNumber)
}

function prepare(paths: TeamPaths): void {
  refuseLinks(paths.tasks)
  if (!existsSync(paths.tasks)) {
    if (!existsSync(paths.config)) throw teamGone(paths.team)
    mkdirSync(paths.tasks, { recursive: true, mode: 0o700 })
  }
  try {
    if (!existsSync(paths.taskListLock)) writeFileSync(paths.taskListLock, "", { flag: "a", mode: 0o600 })
  } catch (error) {
    throw isErrno(error, "ENOENT") ? teamGone(paths.team) : error
  }
}

function readTasksNow(paths: TeamPaths): Map<string, TeamTask> {
  const tasks = new Map<string, TeamTask>()
  for (const id of taskIds(paths)) {
    const read = tryReadJson(paths.task(id))
    if (read.state === "unfinished") throw new Unfinished()
    const task = parseTask(id, read.value)
    if (task !== undefined) tasks.set(id, task)
  }
  return tasks
}

function nextId(paths: TeamPaths, tasks: Map<string, TeamTask>): string {
  const taken = [...taskIds(paths), ...tasks.keys()].map(Number).filter((id) => id < LARGEST)
  return String(Math.max(0, highwatermark(paths), ...taken) + 1)
}

function highwatermark(paths: TeamPaths): number {
  try {
    const value = Number.parseInt(readFileSync(paths.highwatermark, "utf8"), 10)
    return Number.isSafeInteger(value) && value > 0 && value < LARGEST ? value : 0
  } catch {
    return 0
  }
}

function taskIds(paths: TeamPaths): string[] {
  return entriesOf(paths.tasks)
    .flatMap((name) => TASK_FILE.exec(name)?.[1] ?? [])
    .sort(byNumber)
}

function byNumber(one: string, other: string): number {
  return Number(one) - Number(other)
}

/** The file's name is the task's number, whatever is written in it: a change must go to the file that was read. */
function parseTask(id: string, value: unknown): TeamTask | undefined {
  return TeamTask.safeParse(value).success ? { ...(value as TeamTask), id } : undefined
}
