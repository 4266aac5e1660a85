import { shortIdOf } from "@chorus/core"
import type { OperationContext } from "../../operation.ts"
import { assertReach } from "../../reach.ts"
import { uuidOfShortId } from "../projects/short-ids.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"

const ID =
  "(?<![\\w-])(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[a-z][a-z0-9]{1,9}-[1-9]\\d{0,8})(?![\\w-])"
const READ_ONLY = "[^\\w\\n.!?]{0,8}(?:(?:is|are)[ \\t]+)?(?:read[- ]only|只读)"
const SEPARATOR = "(?:[,;/&+|–—→、，；和与]|->|\\b(?:and|or|then|plus|to|through)\\b)"
const BETWEEN = `(?:(?:[\\s*_)"'\`\\]]*${SEPARATOR})+[\\s*_#("'\`[]*|[*_)"'\`\\]]*[ \\t]+[*_#("'\`[]*)`
/** Ids in a row, of which none is meant more than another. */
const ROW = `(${ID}(?:${READ_ONLY})?(?:${BETWEEN}${ID}(?:${READ_ONLY})?)*)`
const TAG = new RegExp(`chorus:task:[ \\t*_("'\`[]*${ROW}`, "gi")
/** The documented line, at the beginning of a line or of a sentence, however it is decorated. */
const LINE = new RegExp(
  `(?:^|[.!?;]\\s)[\\s*_#("'\`-]*(?:your\\s+)?chorus[ -]task[*_\`]*\\s*[:：][\\s*_#("'\`[]*${ROW}`,
  "gim",
)
const FIRST = new RegExp(`^\\W*${ROW}`, "gi")
const ANY = new RegExp(ID, "gi")
const TO_DO = new RegExp(`${ID}(?!${READ_ONLY})`, "gi")
const TO_READ = new RegExp(`${ID}(?=${READ_ONLY})`, "gi")
/** What somebody else was told. */
const QUOTED = /^[ \t]*>.*$/gm
const MOST = 20

/** What came of looking for the task that a spawn is for. */
export interface Named {
  readonly task?: TaskRecord
  /** Why it is for none though its words speak of tasks, for the sub-agent to read. */
  readonly note?: string
}

/** The one task that is marked as the work to do; to mention a task is not to give it to anybody. */
export async function namedTask(context: OperationContext, text: string, description = ""): Promise<Named> {
  if (!context.actor.permissions.has("task:read")) return {}
  const marked = marksIn(text, description)
  const [task, ...more] = await tasksOf(context, marked.length > 0 ? marked : firstIn(description, text))
  if (task !== undefined && more.length === 0) return { task }
  if (task !== undefined) return { note: `Your prompt marks ${more.length + 1} Chorus tasks as yours${ASK}` }
  if (marked.length > 0) return { note: `Chorus knows no task ${marked.join(", ")} that you can reach${ASK}` }
  const spoken = await tasksOf(context, idsIn(ANY, text))
  return spoken.length === 0 ? {} : { note: `Your prompt speaks of Chorus tasks and marks none as yours${ASK}` }
}

const ASK =
  ', so none was started. If one is, say so in your last message: who gives it writes "Chorus task: <id>" on a line of its own.'

/** The id after `chorus:task:`. */
export function taggedTask(text: string): string | undefined {
  return rowsIn(TAG, text)[0]
}

/** The ids marked by a line, a tag, or the words that a call is described with, in which they come first. */
export function markedIds(text: string, description = ""): string[] {
  const marked = marksIn(text, description)
  return marked.length > 0 ? marked : firstIn(description, text)
}

function marksIn(...texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((words) => [...rowsIn(LINE, words), ...rowsIn(TAG, words)]))]
}

/** A description often begins with what merely looks like an id, or with what the prompt gives to read. */
function firstIn(description: string, text: string): string[] {
  const toRead = new Set(idsIn(TO_READ, `${text}\n${description}`))
  return rowsIn(FIRST, description).filter((id) => !toRead.has(id))
}

function rowsIn(pattern: RegExp, text: string): string[] {
  const rows = [...text.replaceAll(QUOTED, "").matchAll(pattern)].map(([, row = ""]) => row)
  return idsIn(TO_DO, rows.join("\n"))
}

function idsIn(pattern: RegExp, text: string): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([id]) => written(id)))].slice(0, MOST)
}

function written(id: string): string {
  return shortIdOf(id) ?? id.toLowerCase()
}

async function tasksOf(context: OperationContext, ids: readonly string[]): Promise<TaskRecord[]> {
  const { db, actor } = context
  const found = new Map<string, TaskRecord>()
  for (const id of ids) {
    const taskUuid = shortIdOf(id) === undefined ? id : await uuidOfShortId(db, actor, id, ["tasks"])
    if (taskUuid === undefined) continue
    const reached = await assertReach(db, actor, { taskUuid }).catch(() => [])
    if (reached.length > 0) found.set(taskUuid, await findTask(db, taskUuid))
  }
  return [...found.values()]
}
