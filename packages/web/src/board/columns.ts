import type { tasks } from "@chorus/contracts"
import type { Tone } from "../design/index.ts"
import type { TextKey } from "../i18n/language.ts"
import { isLate } from "../items/due.ts"

export type Task = tasks.TaskRow
export type ColumnId = "open" | "in_progress" | "to_verify" | "done"

interface Column {
  readonly id: ColumnId
  readonly label: TextKey
  readonly tone: Tone
}

export const COLUMNS: readonly Column[] = [
  { id: "open", label: "board.open", tone: "todo" },
  { id: "in_progress", label: "board.inProgress", tone: "progress" },
  { id: "to_verify", label: "board.toVerify", tone: "waiting" },
  { id: "done", label: "board.done", tone: "done" },
]

const COLUMN_OF: Record<Task["status"], ColumnId> = {
  open: "open",
  assigned: "open",
  in_progress: "in_progress",
  to_verify: "to_verify",
  done: "done",
  closed: "done",
}

export function columnOf(status: Task["status"]): ColumnId {
  return COLUMN_OF[status]
}

export interface BoardFilter {
  readonly find?: string | undefined
  readonly status?: ColumnId | undefined
  readonly priority?: Task["priority"] | undefined
  /** The uuid of who holds it, or "nobody". */
  readonly assignee?: string | undefined
  readonly proposal?: string | undefined
  readonly label?: string | undefined
  /** Only what can start now. */
  readonly ready?: boolean | undefined
  /** Only what is overdue. */
  readonly late?: boolean | undefined
  readonly closed?: boolean | undefined
}

export const NOBODY = "nobody"

export function matches(filter: BoardFilter): (task: Task) => boolean {
  const words = (filter.find ?? "").toLowerCase().split(/\s+/).filter(Boolean)
  return (task) =>
    (filter.closed === true || task.status !== "closed") &&
    (filter.status === undefined || columnOf(task.status) === filter.status) &&
    (filter.late !== true || isLate(task)) &&
    (filter.priority === undefined || task.priority === filter.priority) &&
    (filter.assignee === undefined || (task.assignee?.uuid ?? NOBODY) === filter.assignee) &&
    (filter.proposal === undefined || task.proposalUuid === filter.proposal) &&
    (filter.label === undefined || task.labels.includes(filter.label)) &&
    (filter.ready !== true ||
      (task.openDependencies === 0 && (task.status === "open" || task.status === "assigned"))) &&
    words.every((word) => `${task.shortId} ${task.title} ${task.labels.join(" ")}`.toLowerCase().includes(word))
}

export type Columns = Readonly<Record<ColumnId, readonly Task[]>>

/** What can be worked on, urgent, due and old first; what was finished last first. */
export function inColumns(all: readonly Task[]): Columns {
  const columns: Record<ColumnId, Task[]> = { open: [], in_progress: [], to_verify: [], done: [] }
  for (const task of all) columns[COLUMN_OF[task.status]].push(task)
  columns.open.sort(byUrgency)
  columns.in_progress.sort(byUrgency)
  columns.to_verify.sort(byUrgency)
  columns.done.sort((a, b) => compare(b.updatedAt, a.updatedAt) || compare(a.uuid, b.uuid))
  return columns
}

export type LaneBy = "proposal" | "agent"

export interface Lane {
  readonly key: string
  /** Undefined for what belongs to nothing. */
  readonly name: string | undefined
  readonly columns: Columns
  readonly count: number
}

/** Groups cards by the proposal they came from or by who holds them; what belongs to nothing comes last. */
export function inLanes(all: readonly Task[], by: LaneBy, proposalTitle: (uuid: string) => string | undefined): Lane[] {
  const groups = Map.groupBy(all, (task) => (by === "proposal" ? task.proposalUuid : task.assignee?.uuid) ?? NOBODY)
  const lanes = [...groups].map(([key, members]): Lane => {
    const name =
      key === NOBODY ? undefined : by === "agent" ? members[0]?.assignee?.name : (proposalTitle(key) ?? key.slice(0, 8))
    return { key, name, columns: inColumns(members), count: members.length }
  })
  return lanes.sort(
    (a, b) =>
      Number(a.name === undefined) - Number(b.name === undefined) ||
      compare(a.name ?? "", b.name ?? "") ||
      compare(a.key, b.key),
  )
}

/** Who holds something here, for the filter. */
export function holdersOf(all: readonly Task[]): { readonly uuid: string; readonly name: string }[] {
  const holders = new Map(
    all.flatMap(({ assignee }) => (assignee === null ? [] : [[assignee.uuid, assignee.name] as const])),
  )
  return [...holders].map(([uuid, name]) => ({ uuid, name })).sort((a, b) => compare(a.name, b.name))
}

/** After every day of a calendar. */
const NEVER = "~"
const URGENCY = { high: 0, medium: 1, low: 2 } as const

function byUrgency(a: Task, b: Task): number {
  return (
    Number(a.openDependencies > 0) - Number(b.openDependencies > 0) ||
    URGENCY[a.priority] - URGENCY[b.priority] ||
    compare(a.dueOn ?? NEVER, b.dueOn ?? NEVER) ||
    compare(a.createdAt, b.createdAt) ||
    compare(a.uuid, b.uuid)
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
