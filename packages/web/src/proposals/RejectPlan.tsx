import type { Decided } from "../attention/attempt.ts"
import { AskDialog, DraftNote, Field, onModEnter, secondThoughtOf, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { asFindings, FindingFields, type NewFinding } from "../tasks/FindingFields.tsx"

interface RejectPlanProps {
  readonly of: Decided
  onClose(): void
  /** The server did not take it: it is shown again, with the words. */
  onBack(): void
  /** Resolves to undefined or false where the server did not take it; sent only when `held` says so. */
  onReject(reason: string, held: Promise<boolean>): Promise<unknown>
}

interface Words {
  readonly reason: string
  readonly findings: readonly NewFinding[]
}

const NONE: Words = { reason: "", findings: [] }

/** Rejects a plan: never without saying why, and with findings that its planner answers one by one. */
export function RejectPlan({
  of: { uuid: proposalUuid, projectUuid, title },
  onClose,
  onBack,
  onReject,
}: RejectPlanProps) {
  const text = useText()
  const draft = useDraft(`reject.${proposalUuid}`, NONE)
  const review = useAction("chorus_submit_review")
  const reason = draft.value.reason.trim()
  const findings = asFindings(draft.value.findings)
  const harmless = findings.length > 0 && findings.every(({ severity }) => severity === "note")
  const disabled = reason === "" || harmless
  const send = async () => {
    if (disabled) return
    const sent = await secondThoughtOf(text("needsYou.deciding.reject", { title }), {
      about: { kind: "proposal", uuid: proposalUuid, projectUuid, yes: false },
      send: (held) =>
        onReject(
          reason,
          held.then((stands) => stands && found()),
        ),
      close: onClose,
      back: onBack,
    })
    if (sent) draft.drop()
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
