import type { reviews } from "@chorus/contracts"
import { verdictFault } from "@chorus/core"
import { ClipboardPen } from "lucide-react"
import { useState } from "react"
import {
  AskDialog,
  Button,
  Checkbox,
  DraftNote,
  Field,
  onModEnter,
  Segmented,
  TextArea,
  toast,
} from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { asFindings, FindingFields, type NewFinding } from "./FindingFields.tsx"
import { REVIEW_LABEL } from "./task-status.ts"
import { type Reviewed, useReviews } from "./use-reviews.ts"

interface Written {
  /** Follows from the findings until a person chooses. */
  readonly verdict?: reviews.ReviewVerdict
  readonly summary: string
  readonly findings: readonly NewFinding[]
  readonly resolved: readonly string[]
}

const NONE: Written = { summary: "", findings: [], resolved: [] }
const VERDICTS: readonly reviews.ReviewVerdict[] = ["pass", "pass_with_notes", "fail"]

/** A person's own review of work or of a plan. */
export function GiveReview(target: Reviewed) {
  const text = useText()
  const { person } = useSignedIn()
  const [open, setOpen] = useState(false)
  if (!mayChange(person)) return null
  return (
    <>
      <Button size="sm" icon={ClipboardPen} onClick={() => setOpen(true)}>
        {text("tasks.review.give")}
      </Button>
      {open && <ReviewDialog {...target} onClose={() => setOpen(false)} />}
    </>
  )
}

function ReviewDialog({ targetType, targetUuid, onClose }: Reviewed & { onClose(): void }) {
  const text = useText()
  const { person } = useSignedIn()
  const submit = useAction("chorus_submit_review")
  const draft = useDraft(`review.${targetUuid}`, NONE)
  const { answer } = useReviews({ targetType, targetUuid })
  const { summary, resolved } = draft.value
  const findings = asFindings(draft.value.findings)
  const open = (answer?.reviews ?? []).flatMap((review) =>
    review.findings
      .filter(({ state }) => state === "open")
      .map((finding) => ({ ...finding, mine: review.reviewer?.uuid === person.uuid })),
  )
  const blockers = findings.filter(({ severity }) => severity === "blocker").map(() => "")
  const likely = blockers.length > 0 ? "fail" : findings.length > 0 ? "pass_with_notes" : "pass"
  const verdict = draft.value.verdict ?? likely
  // As the server judges: a pass speaks for one's own findings, a fail may rest on those of others.
  const earlier = open
    .filter(
      ({ severity, key, mine }) => severity === "blocker" && !resolved.includes(key) && (mine || verdict === "fail"),
    )
    .map(({ key }) => key)
  const fault = verdictFault(verdict, [...blockers, ...earlier]) !== undefined
  const disabled = submit.busy || summary.trim() === "" || fault
  const set = (change: Partial<Written>) => draft.set({ ...draft.value, ...change })
  const send = async () => {
    if (disabled) return
    const resolvedKeys = resolved.filter((key) => open.some((finding) => finding.key === key))
    const input = { targetType, targetUuid, verdict, summary: summary.trim(), findings, resolvedKeys }
    if ((await submit.run(input)) === undefined) return
    draft.drop()
    toast(text("tasks.review.given"))
    onClose()
  }
  return (
    <AskDialog
      open
      kept
      wide
      title={text("tasks.review.title")}
      confirm={text("tasks.review.send")}
      disabled={disabled}
      onClose={onClose}
      onConfirm={() => void send()}
    >
      <div className="grid grid-cols-1 gap-4">
        <DraftNote draft={draft} />
        <div className="grid gap-1.5">
          <span>
            <Segmented
              label={text("tasks.review.verdict")}
              value={verdict}
              onChange={(chosen) => set({ verdict: chosen })}
              options={VERDICTS.map((value) => ({ value, label: text(REVIEW_LABEL[value]) }))}
            />
          </span>
          {fault && (
            <p role="alert" className="text-sm text-failed">
              {text(verdict === "fail" ? "tasks.review.needsBlocker" : "tasks.review.blockerOpen")}
            </p>
          )}
        </div>
        <Field label={text("tasks.review.summary")} hint={text("tasks.review.summaryHint")}>
          {(ids) => (
            <TextArea
              {...ids}
              autoFocus
              value={summary}
              onChange={(event) => set({ summary: event.target.value })}
              onKeyDown={onModEnter(() => void send())}
            />
          )}
        </Field>
        <FindingFields
          places={targetType === "task"}
          findings={draft.value.findings}
          onChange={(next) => set({ findings: next })}
        />
        {open.length > 0 && (
          <fieldset className="grid grid-cols-1 gap-1.5">
            <legend className="mb-1.5 text-sm font-medium text-muted">{text("tasks.review.earlier")}</legend>
            {open.map(({ key, text: words }) => (
              <Checkbox
                key={key}
                checked={resolved.includes(key)}
                onChange={(on) => set({ resolved: on ? [...resolved, key] : resolved.filter((each) => each !== key) })}
                label={<span className="wrap-anywhere">{`${key} ${words}`}</span>}
              />
            ))}
          </fieldset>
        )}
      </div>
    </AskDialog>
  )
}
