import { actionForMove, nextTaskStatus } from "@chorus/core"
import { type ColumnId, columnOf, type Task } from "./columns.ts"

/** How a card gets into a column, or why it cannot. */
export type Move =
  | { readonly may: true; readonly status: Task["status"]; readonly by: "start" | "move" }
  | { readonly may: false; readonly why: "same" | "blocked" | "rule" }

/** Asks the same rules as the server, so that a card is never offered a place where it would be refused. */
export function moveTo(task: Task, column: ColumnId): Move {
  if (columnOf(task.status) === column) return { may: false, why: "same" }
  if (column === "in_progress" && columnOf(task.status) === "open") {
    if (task.openDependencies > 0) return { may: false, why: "blocked" }
    return { may: true, status: "in_progress", by: task.status === "open" ? "start" : "move" }
  }
  const action = actionForMove(task.status, column)
  const status = action === undefined ? undefined : nextTaskStatus(task.status, action)
  return status === undefined ? { may: false, why: "rule" } : { may: true, status, by: "move" }
}

/** Whether one move back leads exactly to where the card was; only then is undoing offered. */
export function canUndo(from: Task["status"], to: Task["status"]): boolean {
  const action = actionForMove(to, from)
  return action !== undefined && nextTaskStatus(to, action) === from
}
