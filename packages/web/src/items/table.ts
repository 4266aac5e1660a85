import { columnOf, COLUMNS, type Task } from "../board/columns.ts"
import type { TextKey } from "../i18n/language.ts"
import { type BoardSearch, SORTS } from "../shell/board-search.ts"

export type SortBy = (typeof SORTS)[number]
export type GroupBy = NonNullable<BoardSearch["group"]>

export const SORT_LABEL: Record<SortBy, TextKey> = {
  id: "items.id",
  title: "tasks.title",
  state: "tasks.statusName",
  priority: "board.priority",
  assignee: "board.assignee",
  labels: "items.labels",
  estimate: "items.estimate",
  due: "items.due",
  updated: "items.updated",
}

export const GROUP_LABEL: Record<GroupBy, TextKey> = {
  state: "tasks.statusName",
  assignee: "board.assignee",
  label: "items.label",
  proposal: "board.proposal",
}

/** `-due` is due, latest first. */
export interface Order {
  readonly by: SortBy
  readonly down: boolean
}

export function orderIn(sort: string | undefined): Order {
  const by = SORTS.find((each) => each === sort?.replace(/^-/, ""))
  return by === undefined ? { by: "updated", down: true } : { by, down: sort?.startsWith("-") === true }
}

const STATES: readonly Task["status"][] = ["open", "assigned", "in_progress", "to_verify", "done", "closed"]
const PRIORITIES: readonly Task["priority"][] = ["low", "medium", "high"]
const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" })

/** What a task is put in order by; nothing comes last, whichever way. */
const VALUE: Record<SortBy, (task: Task) => string | number | null> = {
  id: ({ shortId }) => shortId,
  title: ({ title }) => title,
  state: ({ status }) => STATES.indexOf(status),
  priority: ({ priority }) => PRIORITIES.indexOf(priority),
  assignee: ({ assignee }) => assignee?.name ?? null,
  labels: ({ labels }) => (labels.length === 0 ? null : labels.toSorted(words.compare).join(" ")),
  estimate: ({ storyPoints }) => storyPoints,
  due: ({ dueOn }) => dueOn,
  updated: ({ updatedAt }) => Date.parse(updatedAt),
}

export function inOrder(all: readonly Task[], { by, down }: Order): Task[] {
  const valued = all.map((task) => ({ task, value: VALUE[by](task) }))
  valued.sort((a, b) => {
    if (a.value === null || b.value === null)
      return Number(a.value === null) - Number(b.value === null) || words.compare(a.task.shortId, b.task.shortId)
    const first =
      typeof a.value === "number" && typeof b.value === "number"
        ? a.value - b.value
        : words.compare(String(a.value), String(b.value))
    return (down ? -first : first) || words.compare(a.task.shortId, b.task.shortId)
  })
  return valued.map(({ task }) => task)
}

export type TableRow =
  | { readonly kind: "group"; readonly key: string; readonly name: string | undefined; readonly count: number }
  | { readonly kind: "task"; readonly key: string; readonly task: Task }

const NONE = ""

/**
 * Tasks under the heads of their groups, in the order they came; what belongs to nothing comes last, and a task with two
 * labels stands under both.
 */
export function inGroups(
  ordered: readonly Task[],
  by: GroupBy | undefined,
  nameOf: (key: string) => string | undefined,
): TableRow[] {
  if (by === undefined) return ordered.map((task) => ({ kind: "task", key: task.uuid, task }))
  const groups = new Map<string, Task[]>()
  for (const task of ordered) for (const key of keysOf(task, by)) groups.set(key, [...(groups.get(key) ?? []), task])
  const named = [...groups].map(([key, members]) => ({ key, members, name: key === NONE ? undefined : nameOf(key) }))
  named.sort((a, b) =>
    by === "state"
      ? placeOf(a.key) - placeOf(b.key)
      : Number(a.key === NONE) - Number(b.key === NONE) || words.compare(a.name ?? a.key, b.name ?? b.key),
  )
  return named.flatMap(({ key, name, members }): TableRow[] => [
    { kind: "group", key: `group ${key}`, name, count: members.length },
    ...members.map((task) => ({ kind: "task" as const, key: `${key} ${task.uuid}`, task })),
  ])
}

function keysOf(task: Task, by: GroupBy): readonly string[] {
  if (by === "state") return [columnOf(task.status)]
  if (by === "assignee") return [task.assignee?.uuid ?? NONE]
  if (by === "proposal") return [task.proposalUuid ?? NONE]
  return task.labels.length === 0 ? [NONE] : task.labels
}

function placeOf(column: string): number {
  return COLUMNS.findIndex(({ id }) => id === column)
}
