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

/** What ends with a task that somebody takes up again, or gives back. */
const OF_A_BUILD: ReadonlySet<attentions.AttentionRow["notice"]> = new Set(["conflict", "ended", "returned"])

/** How work that stands still goes on. What keeps it from landing is settled elsewhere. */
export function NoticeSteps({ attention, disabled, onOpen }: NoticeStepsProps) {
  const text = useText()
  const release = useAction("chorus_release_task")
  const { notice, taskUuid, detail } = attention
  const leave = useAction("chorus_withdraw_attention")
  const { runUuid, held } = detail
  // What broke a check names none.
  const isConflict = notice === "conflict" && detail["files"] !== undefined
  const run = useOperation("chorus_get_run", typeof runUuid === "string" ? { runUuid } : null, followRun).answer
  return (
    <>
      {onOpen !== undefined && taskUuid !== null && <Button onClick={onOpen}>{text("needsYou.openTask")}</Button>}
      {run !== undefined && (
        <Button asChild>
          <Link to="/runs/$runUuid" params={{ runUuid: run.uuid }}>
            {text("needsYou.openRun")}
          </Link>
        </Button>
      )}
      {!disabled && notice === "broken_off" && run !== undefined && (
        <>
          <Button disabled={leave.busy} onClick={() => void leave.run({ attentionUuid: attention.uuid })}>
            {text("needsYou.leave")}
          </Button>
          <StartRun
            {...(run.taskUuid === null ? { ideaUuid: run.ideaUuid ?? "" } : { taskUuid: run.taskUuid })}
            projectUuid={attention.projectUuid}
            work={run.work}
          />
          <TakeUp main run={run} />
        </>
      )}
      {!disabled && taskUuid !== null && OF_A_BUILD.has(notice) && (
        <>
          {held === true && (
            <Button disabled={release.busy} onClick={() => void release.run({ taskUuid })}>
              {text("tasks.release")}
            </Button>
          )}
          <StartRun taskUuid={taskUuid} projectUuid={attention.projectUuid} work="build" />
          {run !== undefined && (
            <TakeUp main run={run} label={isConflict ? text("landings.sendBackWith") : undefined} />
          )}
        </>
      )}
    </>
  )
}
