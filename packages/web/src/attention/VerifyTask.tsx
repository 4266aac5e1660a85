import type { CriterionId, TaskId, tasks } from "@chorus/contracts"
import { toast } from "../design/index.ts"
import { say, useText } from "../i18n/language.ts"
import { mergedSoon, useLandings } from "../landings/landing.ts"
import { NotYet } from "../landings/NotYet.tsx"
import { amending, useAction } from "../live/use-action.ts"
import { DecideDialog } from "./DecideDialog.tsx"

interface VerifyTaskProps {
  readonly task: Pick<tasks.TaskRow, "uuid" | "title" | "projectUuid">
  onClose(): void
}

/** Verifies one task where it is looked at: it closes when the server has accepted. */
export function VerifyTask({ task, onClose }: VerifyTaskProps) {
  const text = useText()
  const verify = useAction("chorus_admin_verify_task")
  const land = useAction("chorus_land_change")
  const { uuid: taskUuid, projectUuid } = task
  const { answer } = useLandings(taskUuid)
  const merge = async (passing: readonly string[]) => {
    const begun = await land.run({ taskUuid: taskUuid as TaskId, verify: true, passing: passing as CriterionId[] })
    if (begun === undefined) return
    toast(say(mergedSoon(begun)))
    onClose()
  }
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
      busy={verify.busy || land.busy}
      note={<NotYet obstacle={answer?.obstacle ?? null} />}
      also={answer?.landable === true ? text("landings.verifyAndMerge") : undefined}
      onAlso={([decided]) => decided !== undefined && void merge(decided.passing)}
      onClose={onClose}
      onYes={([decided]) => decided !== undefined && void accept(decided.passing)}
    />
  )
}
