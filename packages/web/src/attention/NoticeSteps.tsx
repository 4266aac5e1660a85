import type { attentions } from "@chorus/contracts"
import { Play } from "lucide-react"
import { Button } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { StartRun } from "../runs/StartRun.tsx"

interface NoticeStepsProps {
  readonly attention: attentions.AttentionRow
  readonly disabled: boolean
  /** Leads to the task; undefined where the reader is there already. */
  readonly onOpen: (() => void) | undefined
}

/** How work that stands still goes on. What keeps it from landing is settled elsewhere. */
export function NoticeSteps({ attention, disabled, onOpen }: NoticeStepsProps) {
  const text = useText()
  const resume = useAction("chorus_resume_run")
  const release = useAction("chorus_release_task")
  const { notice, taskUuid, detail } = attention
  const { runUuid, held } = detail
  return (
    <>
      {onOpen !== undefined && <Button onClick={onOpen}>{text("needsYou.openTask")}</Button>}
      {!disabled && taskUuid !== null && notice !== "landing" && (
        <>
          {held === true && (
            <Button disabled={release.busy} onClick={() => void release.run({ taskUuid })}>
              {text("tasks.release")}
            </Button>
          )}
          <StartRun taskUuid={taskUuid} work="build" />
          {typeof runUuid === "string" && (
            <Button tone="primary" icon={Play} disabled={resume.busy} onClick={() => void resume.run({ runUuid })}>
              {text("runs.resume")}
            </Button>
          )}
        </>
      )}
    </>
  )
}
