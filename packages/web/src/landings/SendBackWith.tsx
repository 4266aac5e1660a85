import type { TaskId } from "@chorus/contracts"
import { Undo2 } from "lucide-react"
import { Button, toast } from "../design/index.ts"
import { say, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useResumable } from "../runs/use-resumable.ts"
import type { Landing } from "./landing.ts"

/** Sends work back with what stands against it in its branch; the run that did it goes on with that at once. */
export function SendBackWith({ landing: { taskUuid, reason } }: { readonly landing: Landing }) {
  const text = useText()
  const reopen = useAction("chorus_admin_reopen_task")
  const resume = useAction("chorus_resume_run")
  const run = useResumable(taskUuid)
  if (reason === null) return null
  const send = async () => {
    if ((await reopen.run({ taskUuid: taskUuid as TaskId, force: true, reason })) === undefined) return
    if (run !== undefined) await resume.run({ runUuid: run.uuid })
    toast(say("needsYou.sentBack"))
  }
  return (
    <div>
      <Button size="sm" icon={Undo2} disabled={reopen.busy || resume.busy} onClick={() => void send()}>
        {text("landings.sendBackWith")}
      </Button>
    </div>
  )
}
