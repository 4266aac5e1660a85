import { useCallback } from "react"
import { toast } from "../design/index.ts"
import { say } from "../i18n/language.ts"
import { amending, useAction } from "../live/use-action.ts"
import { type ColumnId, COLUMNS, type Task } from "./columns.ts"
import { canUndo, moveTo } from "./moves.ts"
import { rememberMove } from "./recent-moves.ts"

/** Moves a card by the rules: seen at once, taken back when refused, undone where one step leads back. */
export function useMoveCard(
  projectUuid: string,
  onVerify: (task: Task) => void,
): (task: Task, column: ColumnId) => Promise<boolean> {
  const move = useAction("chorus_move_task")
  const start = useAction("chorus_start_task")
  return useCallback(
    async (task, column) => {
      const step = moveTo(task, column)
      if (!step.may) return false
      // Work is accepted by who has seen it, wherever the card comes from.
      if (step.status === "done") {
        onVerify(task)
        return false
      }
      const show = (status: Task["status"]) => ({
        amend: [
          amending("chorus_get_board", { projectUuid }, (board) => ({
            ...board,
            tasks: board.tasks.map((each) => (each.uuid === task.uuid ? { ...each, status } : each)),
          })),
        ],
      })
      rememberMove(task.uuid)
      const done =
        step.by === "start"
          ? await start.run({ taskUuid: task.uuid }, show(step.status))
          : await move.run({ taskUuid: task.uuid, status: step.status }, show(step.status))
      if (done === undefined) return false
      const undo = () => void move.run({ taskUuid: task.uuid, status: task.status }, show(task.status))
      const label = COLUMNS.find(({ id }) => id === column)?.label ?? "board.open"
      toast(say("board.moved", { column: say(label) }), { undo: canUndo(task.status, step.status) ? undo : undefined })
      return true
    },
    [projectUuid, move.run, start.run, onVerify],
  )
}
