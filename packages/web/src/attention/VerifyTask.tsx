import type { CriterionId, TaskId, tasks } from "@chorus/contracts"
import { secondThought, settle, toast } from "../design/index.ts"
import { say, useText } from "../i18n/language.ts"
import { mergedSoon, useLandings } from "../landings/landing.ts"
import { NotYet } from "../landings/NotYet.tsx"
import { useAction } from "../live/use-action.ts"
import { useLive } from "../live/use-operation.ts"
import { becoming } from "../tasks/becoming.ts"
import { attempt } from "./attempt.ts"
import { DecideDialog } from "./DecideDialog.tsx"
import { gone } from "./use-decisions.ts"

interface VerifyTaskProps {
  readonly task: Pick<tasks.TaskRow, "uuid" | "title" | "projectUuid">
  onClose(): void
}

/** Verifies one task where it is looked at; merging begins at once, without can be taken back for a while. */
export function VerifyTask({ task, onClose }: VerifyTaskProps) {
  const text = useText()
  const verify = useAction("chorus_admin_verify_task")
  const land = useAction("chorus_land_change")
  const { client } = useLive()
  const { uuid: taskUuid, title } = task
  const { answer } = useLandings(taskUuid)
  const merge = async (passing: readonly string[]) => {
    const asked = { taskUuid: taskUuid as TaskId, verify: true, passing: passing as CriterionId[] }
    const begun = await attempt(client, task, () => land.run(asked, { tell: false }))
    if (begun === undefined) return
    toast(say(mergedSoon(begun)))
    onClose()
  }
  const accept = async (passing: readonly string[]) => {
    const about = { kind: "task", uuid: taskUuid, projectUuid: task.projectUuid, yes: true } as const
    const held = secondThought(text("needsYou.deciding.task", { title }), about)
    const options = { amend: [...becoming(task, "done"), ...gone(task).amend], tell: false, held }
    onClose()
    const done = await attempt(client, task, () => verify.run({ taskUuid, passing: [...passing] }, options))
    settle(held)
    if (done !== undefined) toast(say("needsYou.verified"))
  }
  return (
    <DecideDialog
      subjects={[{ kind: "task", ...task }]}
      busy={land.busy}
      note={<NotYet obstacle={answer?.obstacle ?? null} />}
      also={answer?.landable === true ? text("landings.verifyAndMerge") : undefined}
      onAlso={([decided]) => decided !== undefined && void merge(decided.passing)}
      onClose={onClose}
      onYes={([decided]) => decided !== undefined && void accept(decided.passing)}
    />
  )
}
