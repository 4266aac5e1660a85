import type { Tone } from "../design/index.ts"
import type { Translate } from "../i18n/language.ts"
import type { Fold } from "./folded.ts"
import type { GraphNode, Relations } from "./graph.ts"
import type { GraphItem } from "./item.ts"
import { toneOf } from "./tone.ts"

/** A task as the graph draws it: where it stands, and what it waits for. */
export function itemOfTask(task: GraphNode, { blockers, critical }: Relations, text: Translate): GraphItem {
  const before = blockers.get(task.uuid) ?? []
  const idle = task.status === "open" || task.status === "assigned"
  const waits = before.length > 0 && idle
  const note = waits
    ? text("board.blocked", { count: before.length })
    : task.status === "open"
      ? text("graph.ready")
      : undefined
  return {
    uuid: task.uuid,
    id: task.shortId,
    title: task.title,
    tone: toneOf(task),
    note,
    hint: waits ? text("graph.blocked", { names: before.map(({ title }) => title).join(", ") }) : undefined,
    assignee: task.assignee,
    closed: task.status === "closed",
    critical: critical.has(task.uuid),
  }
}

export function itemOfFold(
  { uuid, title, tasks, finished }: Fold,
  { critical }: Relations,
  text: Translate,
): GraphItem {
  const tone: Tone = finished === tasks.length ? "done" : finished === 0 ? "todo" : "progress"
  return {
    uuid,
    title,
    tone,
    note: text("graph.folded", { count: tasks.length, done: finished }),
    folded: tasks.length,
    critical: tasks.some((task) => critical.has(task.uuid)),
  }
}
