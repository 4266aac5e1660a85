import { shortIdOf } from "@chorus/core"
import type { OperationContext } from "../../operation.ts"
import { assertReach } from "../../reach.ts"
import { uuidOfShortId } from "../projects/short-ids.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"

const ID =
  "(?<![\\w-])([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[a-z][a-z0-9]{1,9}-[1-9]\\d{0,8})(?![\\w-])"
const TAG = new RegExp(`chorus:task:${ID}`, "gi")
/**
 * The documented line, at the beginning of a line or of a sentence, however it is decorated; quoted it is somebody
 * else's.
 */
const LINE = new RegExp(
  `(?:^|[.!?;]\\s)[\\s*_#("'\`-]*(?:your\\s+)?chorus[ -]task[*_\`]*\\s*:[\\s*_#("'\`[]*${ID}(?!\\W{0,4}(?:is\\s+)?read[- ]only)`,
  "gim",
)
const ANY = new RegExp(ID, "gi")
const FIRST = new RegExp(`^\\W*${ID}`, "i")
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
  const marked = markedIds(text, description)
  const [task, ...more] = await tasksOf(context, marked)
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
  return idsIn(TAG, text)[0]
}

/** The ids marked by a line, a tag, or the words that a call is described with, in which an id comes first. */
export function markedIds(text: string, description = ""): string[] {
  const marked = [...new Set([text, description].flatMap((words) => [...idsIn(LINE, words), ...idsIn(TAG, words)]))]
  const first = marked.length === 0 ? FIRST.exec(description)?.[1] : undefined
  return first === undefined ? marked : [written(first)]
}

function idsIn(pattern: RegExp, text: string): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => written(match[1] ?? "")))].slice(0, MOST)
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
