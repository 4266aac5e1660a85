/** What a list can be put in order by, narrowed to, and cut into. */
export const SORTS = ["id", "title", "state", "priority", "assignee", "labels", "estimate", "due", "updated"] as const
export const STATUSES = ["open", "in_progress", "to_verify", "done"] as const
export const GROUPS = ["state", "assignee", "label", "proposal"] as const

/** What the address of a board, a list or a graph says beside the project. */
export interface BoardSearch {
  /** The task shown beside it. */
  readonly task?: string
  readonly lanes?: "proposal" | "agent"
  readonly find?: string
  readonly status?: (typeof STATUSES)[number]
  readonly priority?: "low" | "medium" | "high"
  readonly assignee?: string
  readonly proposal?: string
  readonly ready?: true
  readonly late?: true
  readonly closed?: true
  readonly label?: string
  /** By what a list is in order; with a minus, from the end. */
  readonly sort?: string
  readonly group?: (typeof GROUPS)[number]
}

/** Keeps what is understood and drops the rest, as addresses are typed and shortened by people. */
export function boardSearch(search: Record<string, unknown>): BoardSearch {
  const text = (name: string) => (typeof search[name] === "string" && search[name] !== "" ? search[name] : undefined)
  const found = {
    task: text("task"),
    lanes: oneOf(text("lanes"), ["proposal", "agent"]),
    find: text("find"),
    status: oneOf(text("status"), STATUSES),
    priority: oneOf(text("priority"), ["low", "medium", "high"]),
    assignee: text("assignee"),
    proposal: text("proposal"),
    ready: search["ready"] === true ? true : undefined,
    late: search["late"] === true ? true : undefined,
    closed: search["closed"] === true ? true : undefined,
    label: text("label"),
    sort: oneOf(text("sort"), [...SORTS, ...SORTS.map((by) => `-${by}` as const)]),
    group: oneOf(text("group"), GROUPS),
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

function oneOf<const Value extends string>(text: string | undefined, values: readonly Value[]): Value | undefined {
  return values.find((value) => value === text)
}
