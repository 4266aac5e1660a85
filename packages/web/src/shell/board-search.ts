/** What the address of a board says beside the project. */
export interface BoardSearch {
  /** The task shown beside the board. */
  readonly task?: string
  readonly lanes?: "proposal" | "agent"
  readonly find?: string
  readonly priority?: "low" | "medium" | "high"
  readonly assignee?: string
  readonly proposal?: string
  readonly ready?: true
  readonly closed?: true
}

/** Keeps what is understood and drops the rest, as addresses are typed and shortened by people. */
export function boardSearch(search: Record<string, unknown>): BoardSearch {
  const text = (name: string) => (typeof search[name] === "string" && search[name] !== "" ? search[name] : undefined)
  const found = {
    task: text("task"),
    lanes: oneOf(text("lanes"), ["proposal", "agent"]),
    find: text("find"),
    priority: oneOf(text("priority"), ["low", "medium", "high"]),
    assignee: text("assignee"),
    proposal: text("proposal"),
    ready: search["ready"] === true ? true : undefined,
    closed: search["closed"] === true ? true : undefined,
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

function oneOf<const Value extends string>(text: string | undefined, values: readonly Value[]): Value | undefined {
  return values.find((value) => value === text)
}
