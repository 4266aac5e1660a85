import type { attentions } from "@chorus/contracts"
import { Link } from "@tanstack/react-router"
import { Button } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { followRun } from "../runs/run.ts"
import { StartRun } from "../runs/StartRun.tsx"
import { TakeUp } from "../runs/TakeUp.tsx"

interface NoticeStepsProps {
  readonly attention: attentions.AttentionRow
  readonly disabled: boolean
  /** Leads to the task; undefined where the reader is there already. */
  readonly onOpen: (() => void) | undefined
}

/** How work that stands still goes on. What keeps it from landing is settled elsewhere. */
export function NoticeSteps({ attention, disabled, onOpen }: NoticeStepsProps) {
  const text = useText()
  const release = useAction("chorus_release_task")
  const { notice, taskUuid, detail } = attention
  const { runUuid, held } = detail
  const run = useOperation("chorus_get_run", typeof runUuid === "string" ? { runUuid } : null, followRun).answer
  return (
    <>
      {onOpen !== undefined && <Button onClick={onOpen}>{text("needsYou.openTask")}</Button>}
      {run !== undefined && (
        <Button asChild>
          <Link to="/runs/$runUuid" params={{ runUuid: run.uuid }}>
            {text("needsYou.openRun")}
          </Link>
        </Button>
      )}
      {!disabled && taskUuid !== null && notice !== "landing" && notice !== "not_allowed" && (
        <>
          {held === true && (
            <Button disabled={release.busy} onClick={() => void release.run({ taskUuid })}>
              {text("tasks.release")}
            </Button>
          )}
          <StartRun taskUuid={taskUuid} projectUuid={attention.projectUuid} work="build" />
          {run !== undefined && <TakeUp main run={run} />}
        </>
      )}
    </>
  )
}
