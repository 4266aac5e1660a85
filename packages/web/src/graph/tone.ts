import { columnOf, COLUMNS, type Task } from "../board/columns.ts"
import type { Tone } from "../design/index.ts"

/** Closed is given up: it has no colour of progress. */
export function toneOf({ status }: Pick<Task, "status">): Tone {
  if (status === "closed") return "todo"
  return COLUMNS.find(({ id }) => id === columnOf(status))?.tone ?? "todo"
}
