import type { IdeaId, runs, TaskId } from "@chorus/contracts"
import { useNavigate } from "@tanstack/react-router"
import { CirclePlay } from "lucide-react"
import { useState } from "react"
import { Button, Dialog, DraftNote, Field, TextArea } from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { AllowFolder } from "./AllowFolder.tsx"
import { FoldedBudget, useBudget } from "./BudgetFields.tsx"
import { RunChoiceFields, useRunChoice } from "./RunChoice.tsx"

type On = { readonly taskUuid: string } | { readonly ideaUuid: string }

const WORDS: Record<runs.RunWork, { readonly button: TextKey; readonly title: TextKey }> = {
  build: { button: "runs.start", title: "runs.startTitle" },
  plan: { button: "runs.planThis", title: "runs.planTitle" },
  review: { button: "runs.review", title: "runs.reviewTitle" },
  answer: { button: "runs.answer", title: "runs.answerTitle" },
}

type StartRunProps = { readonly work: runs.RunWork; readonly projectUuid: string | null } & On

/**
 * Puts an agent to work on a task or an idea; where no machine runs any yet, the main ways to start one say what to do
 * first.
 */
export function StartRun({ work, projectUuid, ...on }: StartRunProps) {
  const text = useText()
  const navigate = useNavigate()
  const start = useAction("chorus_start_run")
  const chosen = useRunChoice(work, projectUuid)
  const [open, setOpen] = useState(false)
  const draft = useDraft(`start.${work}.${"taskUuid" in on ? on.taskUuid : on.ideaUuid}`, "")
  const words = draft.value
  const limits = useBudget({})
  const isReady = chosen.runners.length > 0
  if (!isReady && work !== "build" && work !== "plan") return null
  const begin = async () => {
    const about = "taskUuid" in on ? { taskUuid: on.taskUuid as TaskId } : { ideaUuid: on.ideaUuid as IdeaId }
    const said = words.trim() === "" ? {} : { words }
    const own = limits.budget === undefined ? {} : { budget: limits.budget }
    const run = await start.run({ ...about, work, ...chosen.take(), ...said, ...own })
    if (run === undefined) return
    draft.drop()
    void navigate({ to: "/runs/$runUuid", params: { runUuid: run.uuid }, ignoreBlocker: true })
  }
  return (
    <>
      <Button size="sm" icon={CirclePlay} onClick={() => setOpen(true)}>
        {text(WORDS[work].button)}
      </Button>
      <Dialog open={open} kept onOpenChange={setOpen} title={text(WORDS[work].title)}>
        {!isReady && <AllowFolder />}
        <div hidden={!isReady} className="grid grid-cols-1 gap-4">
          <RunChoiceFields {...chosen} projectUuid={projectUuid} />
          <DraftNote draft={draft} />
          <Field label={text(work === "answer" ? "runs.question" : "runs.words")}>
            {(field) => (
              <TextArea {...field} rows={2} value={words} onChange={(event) => draft.set(event.target.value)} />
            )}
          </Field>
          <FoldedBudget {...limits} named="runs.budget" />
          <div className="flex justify-end">
            <Button
              tone="primary"
              disabled={start.busy || !chosen.able || !limits.fits || (work === "answer" && words.trim() === "")}
              onClick={() => void begin()}
            >
              {text(WORDS[work].button)}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  )
}
