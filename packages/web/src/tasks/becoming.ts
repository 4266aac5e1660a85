import type { tasks } from "@chorus/contracts"
import { amending, type AmendRule } from "../live/use-action.ts"

/** Shows a task where it is about to stand, wherever it is on show. */
export function becoming(
  { uuid: taskUuid, projectUuid }: Pick<tasks.TaskRow, "uuid" | "projectUuid">,
  status: tasks.TaskStatus,
): readonly AmendRule[] {
  return [
    amending("chorus_get_task", { taskUuid }, (now) => ({ ...now, status })),
    amending("chorus_get_board", { projectUuid }, (board) => ({
      ...board,
      tasks: board.tasks.map((each) => (each.uuid === taskUuid ? { ...each, status } : each)),
    })),
  ]
}
