import type { ToolProfile } from "./tool-list.ts"

type Fields = Record<string, unknown>

/** What a row need not say: what the request said, what its message says, and what stands beside it under another name. */
const UNSAID: Readonly<Record<string, readonly string[]>> = {
  tasks: words("projectUuid createdAt updatedAt ac"),
  activities: words("uuid projectUuid kind actor actorType actorUuid sessionUuid value"),
  notifications: words(
    "projectUuid projectName recipientType recipientUuid entityTitle actorType actorUuid actorName readAt archivedAt",
  ),
  projects: words("groupUuid createdAt updatedAt"),
}

/** What is usually the same in every row, and is then said once. */
const SHARED: Readonly<Record<string, readonly string[]>> = { tasks: ["proposalUuid"] }

const RECENT = 10
const MOST_WORDS = 80

/** The listed tools that the early contract does not have: nobody counts on fields of theirs that are null. */
const ADDED: ReadonlySet<string> = new Set([
  "chorus_comment_on_change",
  "chorus_create_attention",
  "chorus_finish_task",
  "chorus_get_attachment",
  "chorus_get_change",
  "chorus_get_reviews",
  "chorus_get_run",
  "chorus_inbox",
  "chorus_list_runs",
  "chorus_next_task",
  "chorus_push_change",
  "chorus_reclaim_task",
  "chorus_release_paths",
  "chorus_request_change",
  "chorus_reserve_paths",
  "chorus_send_to_run",
  "chorus_start_run",
  "chorus_start_task",
  "chorus_stop_run",
  "chorus_submit_plan",
  "chorus_submit_review",
])

/** Who asked for lean tools gets all answers lean; everybody else those that the contract does not describe field by field. */
export function isLean(tool: string, profile: ToolProfile | undefined): boolean {
  return profile !== "full" || ADDED.has(tool)
}

/** A lean answer: nothing that is null, and rows without what a reader of the list knows already. */
export function leanAnswer(answer: unknown): unknown {
  const said = withoutNulls(answer)
  if (!isFields(said)) return said
  // That there is no task is the answer itself.
  if (isFields(answer) && answer["task"] === null) said["task"] = null
  const { recentActivity, issues, taskDrafts, documentDrafts, ...rest } = said
  const submitted = issues !== undefined && taskDrafts !== undefined
  const lean: Fields = { ...rest, ...drafts({ documentDrafts, taskDrafts }, submitted) }
  if (Array.isArray(issues)) lean["issues"] = gathered(issues, submitted)
  if (Array.isArray(recentActivity)) lean["recentActivity"] = rowsOf("activities", recentActivity.slice(0, RECENT))
  for (const name of Object.keys(UNSAID)) {
    const rows = lean[name]
    if (!Array.isArray(rows) || !rows.every(isFields)) continue
    const shared = (SHARED[name] ?? []).flatMap((field) => sharedValue(rows, field))
    const without = new Set(shared.map(([field]) => field))
    lean[name] = rowsOf(name, rows).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([field]) => !without.has(field))),
    )
    Object.assign(lean, Object.fromEntries(shared))
  }
  return lean
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => (field === null ? [] : [[name, withoutNulls(field)]])),
  )
}

function rowsOf(name: string, rows: readonly unknown[]): Fields[] {
  const unsaid = new Set(UNSAID[name])
  return rows.filter(isFields).map((row) => ({
    ...Object.fromEntries(
      Object.entries(row)
        .filter(([field, value]) => !unsaid.has(field) && value !== 0 && !(field === "entityType" && isTold(row)))
        .map(([field, value]) => [field, short(value)]),
    ),
    ...progress(row["ac"]),
    ...facts(row["value"]),
  }))
}

/** `task_verified` is about a task. */
function isTold({ action, entityType }: Fields): boolean {
  return String(action).startsWith(`${String(entityType)}_`)
}

/** People by their name, times to the second. */
function short(value: unknown): unknown {
  if (isFields(value) && typeof value["name"] === "string" && "uuid" in value) return value["name"]
  return typeof value === "string" ? value.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z$/, "$1Z") : value
}

/** How many criteria passed, once there is something to tell. */
function progress(ac: unknown): Fields {
  if (!isFields(ac) || (ac["passed"] === 0 && ac["checked"] === 0)) return {}
  return { ac: Object.fromEntries(Object.entries(ac).filter(([, count]) => count !== 0)) }
}

const WORDS = ["status", "reason", "reviewNote", "verdict", "content"]

/** Of what changed, the words; the rest can be read where it stands. */
function facts(value: unknown): Fields {
  if (!isFields(value)) return {}
  const said = WORDS.flatMap((name) => {
    const word = value[name]
    return typeof word === "string" ? [[name, word.length > MOST_WORDS ? `${word.slice(0, MOST_WORDS)}…` : word]] : []
  })
  return said.length === 0 ? {} : { value: Object.fromEntries(said) as Fields }
}

function sharedValue(rows: readonly Fields[], field: string): [string, unknown][] {
  const value = rows[0]?.[field]
  return rows.length > 1 && value !== undefined && rows.every((row) => row[field] === value) ? [[field, value]] : []
}

/** Who submits a whole plan knows its drafts; how many there are is enough. */
function drafts(lists: Fields, submitted: boolean): Fields {
  const known = Object.entries(lists).filter(([, list]) => list !== undefined)
  return Object.fromEntries(known.map(([name, list]) => [name, submitted && Array.isArray(list) ? list.length : list]))
}

/** The same remark about several drafts is made once, in words that name the first; what could be added to a plan that is in is no matter. */
function gathered(issues: readonly unknown[], submitted: boolean): Fields[] {
  const told = issues.filter(isFields).filter(({ level }) => !submitted || level !== "info")
  return [...Map.groupBy(told, ({ id }) => id).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const { field: _, ...said } = first
    return [more.length === 0 ? said : { ...said, alsoOf: more.length }]
  })
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function words(text: string): string[] {
  return text.split(" ")
}
