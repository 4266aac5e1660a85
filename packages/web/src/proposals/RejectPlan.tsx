import { useState } from "react"
import { AskDialog, DraftNote, Field, onModEnter, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { asFindings, FindingFields, type NewFinding } from "../tasks/FindingFields.tsx"

interface RejectPlanProps {
  readonly proposalUuid: string
  onClose(): void
  /** Resolves to undefined or false where the server did not take it: then the dialog stays, with the words. */
  onReject(reason: string): Promise<unknown>
}

interface Words {
  readonly reason: string
  readonly findings: readonly NewFinding[]
}

const NONE: Words = { reason: "", findings: [] }

/** Rejects a plan: never without saying why, and with findings that its planner answers one by one. */
export function RejectPlan({ proposalUuid, onClose, onReject }: RejectPlanProps) {
  const text = useText()
  const draft = useDraft(`reject.${proposalUuid}`, NONE)
  const review = useAction("chorus_submit_review")
  const [busy, setBusy] = useState(false)
  const reason = draft.value.reason.trim()
  const findings = asFindings(draft.value.findings)
  const harmless = findings.length > 0 && findings.every(({ severity }) => severity === "note")
  const disabled = busy || reason === "" || harmless
  const send = async () => {
    if (disabled) return
    setBusy(true)
    const done = (await found()) && (await onReject(reason))
    setBusy(false)
    if (done === undefined || done === false) return
    draft.drop()
    onClose()
  }
  /** The findings are a failed review; once they are given, trying again does not give them twice. */
  const found = async () => {
    if (findings.length === 0) return true
    const target = { targetType: "proposal", targetUuid: proposalUuid } as const
    if ((await review.run({ ...target, verdict: "fail", summary: reason, findings })) === undefined) return false
    draft.set({ reason: draft.value.reason, findings: [] })
    return true
  }
  return (
    <AskDialog
      open
      kept
      wide
      title={text("needsYou.noteRejectTitle")}
      description={text("needsYou.noteLead")}
      confirm={text("needsYou.reject")}
      disabled={disabled}
      onClose={onClose}
      onConfirm={() => void send()}
    >
      <div className="grid grid-cols-1 gap-4">
        <Field label={text("needsYou.note")} hint={draft.resumed ? <DraftNote draft={draft} /> : undefined}>
          {(ids) => (
            <TextArea
              {...ids}
              autoFocus
              value={draft.value.reason}
              onChange={(event) => draft.set({ ...draft.value, reason: event.target.value })}
              onKeyDown={onModEnter(() => void send())}
            />
          )}
        </Field>
        <FindingFields
          places={false}
          findings={draft.value.findings}
          onChange={(next) => draft.set({ ...draft.value, findings: next })}
        />
        {harmless && (
          <p role="alert" className="text-sm text-failed">
            {text("tasks.review.needsBlocker")}
          </p>
        )}
      </div>
    </AskDialog>
  )
}
