import { Play } from "lucide-react"
import { useState } from "react"
import { Button, Dialog } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { Reason } from "../markdown/Reason.tsx"
import { useAction } from "../live/use-action.ts"
import { BudgetFields, useBudget } from "./BudgetFields.tsx"
import type { Run } from "./run.ts"

interface TakeUpProps {
  readonly run: Run
  readonly main?: boolean
  /** What it is called where it does more than go on. */
  readonly label?: string | undefined
}

/** Lets a run that has ended go on; beyond its budget only with a larger one, which is asked for first. */
export function TakeUp({ run, main = false, label }: TakeUpProps) {
  const text = useText()
  const resume = useAction("chorus_resume_run")
  const limits = useBudget(run.budget)
  const [open, setOpen] = useState(false)
  const over = run.stoppedFor === "budget"
  const { uuid: runUuid } = run
  const begin = async () => {
    const { budget = {} } = limits
    if ((await resume.run({ runUuid, ...(over ? { budget } : {}) })) !== undefined) setOpen(false)
  }
  return (
    <>
      <Button
        icon={Play}
        disabled={resume.busy}
        onClick={() => (over ? setOpen(true) : void begin())}
        {...(main ? { tone: "primary" } : { size: "sm" })}
      >
        {label ?? text("runs.resume")}
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={text("runs.moreBudget")}>
        <div className="grid grid-cols-1 gap-4">
          <p className="text-sm text-muted">
            <Reason text={run.reason ?? ""} />
          </p>
          <BudgetFields {...limits} />
          <div className="flex justify-end">
            <Button tone="primary" disabled={resume.busy || !limits.fits} onClick={() => void begin()}>
              {text("runs.resume")}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  )
}
