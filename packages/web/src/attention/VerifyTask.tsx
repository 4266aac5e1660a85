import type { tasks } from "@chorus/contracts"
import { toast } from "../design/index.ts"
import { say } from "../i18n/language.ts"
import { amending, useAction } from "../live/use-action.ts"
import { DecideDialog } from "./DecideDialog.tsx"

interface VerifyTaskProps {
  readonly task: Pick<tasks.TaskRow, "uuid" | "title" | "projectUuid">
  onClose(): void
}

/** Verifies one task where it is looked at: it closes when the server has accepted. */
export function VerifyTask({ task, onClose }: VerifyTaskProps) {
  const verify = useAction("chorus_admin_verify_task")
  const { uuid: taskUuid, projectUuid } = task
  const accept = async (passing: readonly string[]) => {
    const done = await verify.run(
      { taskUuid, passing: [...passing] },
      {
        amend: [
          amending("chorus_get_task", { taskUuid }, (now) => ({ ...now, status: "done" })),
          amending("chorus_get_board", { projectUuid }, (board) => ({
            ...board,
            tasks: board.tasks.map((each) => (each.uuid === taskUuid ? { ...each, status: "done" as const } : each)),
          })),
        ],
      },
    )
    if (done === undefined) return
    toast(say("needsYou.verified"))
    onClose()
  }
  return (
    <DecideDialog
      subjects={[{ kind: "task", ...task }]}
      busy={verify.busy}
      onClose={onClose}
      onYes={([decided]) => decided !== undefined && void accept(decided.passing)}
    />
  )
}
