import { useMemo, useState } from "react"
import { useChange } from "../changes/use-change.ts"
import {
  AskDialog,
  Checkbox,
  DraftNote,
  Field,
  onModEnter,
  secondThoughtOf,
  SkeletonRows,
  TextArea,
} from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { type AmendRule, useAction } from "../live/use-action.ts"
import { useLive, useOperation } from "../live/use-operation.ts"
import { PROGRAM_NAME } from "../runs/run.ts"
import { useResumable } from "../runs/use-resumable.ts"
import { followTask } from "../tasks/follow-task.ts"
import { attempt, type Decided } from "./attempt.ts"

interface SendBackProps {
  readonly of: Decided
  /** Changes to answers on show while it is on its way. */
  readonly amend: readonly AmendRule[]
  onClose(): void
  /** It is on its way, and can be taken back for a while. */
  onHeld?(): void
  /** The server did not take it: it is shown again, with the words. */
  onBack(): void
  onDone?(): void
}

interface Words {
  readonly reason: string
  /** Evidence by the criterion that is not met. */
  readonly failed: Readonly<Record<string, string>>
}

const NONE: Words = { reason: "", failed: {} }

/**
 * Sends work back: never without saying why, by a reason or by what stands at its lines, and with a verdict on each
 * criterion that it does not meet.
 */
export function SendBack({ of, amend, onClose, onHeld, onBack, onDone }: SendBackProps) {
  const text = useText()
  const { uuid: taskUuid, title } = of
  const follow = useMemo(() => followTask(taskUuid), [taskUuid])
  const { answer: task } = useOperation("chorus_get_task", { taskUuid }, follow)
  const draft = useDraft(`refuse.${taskUuid}`, NONE)
  const { reason } = draft.value
  const reopen = useAction("chorus_admin_reopen_task")
  const resume = useAction("chorus_resume_run")
  const last = useResumable(taskUuid)
  const { client } = useLive()
  const [goesOn, setGoesOn] = useState(true)
  const judged = task?.status === "to_verify" ? task.acceptanceCriteriaItems : []
  // A verdict that was given already stands, with its words.
  const standing = Object.fromEntries(
    judged.flatMap(({ uuid, status, evidence }) => (status === "failed" ? [[uuid, evidence ?? ""]] : [])),
  )
  const failed: Words["failed"] = { ...standing, ...draft.value.failed }
  // What was closed without being judged needs no reason to be taken up again.
  const finished = task?.status === "done" || task?.status === "closed"
  const run = task?.status === "closed" ? undefined : last
  const threads = useChange(taskUuid).answer?.threads.filter(({ state }) => state === "open").length ?? 0
  const isSaid = reason.trim() !== "" || threads > 0 || saysWhy(judged.flatMap(({ uuid }) => failed[uuid] ?? []))
  const disabled = task?.status !== "closed" && !isSaid
  const send = async () => {
    if (disabled) return
    const verdicts = judged
      .filter(({ uuid }) => failed[uuid] !== undefined && failed[uuid] !== standing[uuid])
      .map(({ uuid }) => ({ uuid, evidence: failed[uuid]?.trim() || reason.trim() }))
    const said = reason.trim() === "" ? {} : { reason: reason.trim() }
    const sent = await secondThoughtOf(
      text(finished ? "needsYou.deciding.reopen" : "needsYou.deciding.sendBack", { title }),
      {
        about: { kind: "task", uuid: taskUuid, projectUuid: of.projectUuid, yes: false },
        send: (held) =>
          attempt(client, of, () => reopen.run({ taskUuid, ...said, failed: verdicts }, { amend, tell: false, held })),
        close: () => {
          onClose()
          onHeld?.()
        },
        back: onBack,
      },
    )
    if (!sent) return
    draft.drop()
    onDone?.()
    if (run !== undefined && goesOn) await resume.run({ runUuid: run.uuid })
  }
  const fail = (uuid: string, evidence: string | undefined) => {
    const { [uuid]: _, ...others } = draft.value.failed
    draft.set({ reason, failed: evidence === undefined ? others : { ...others, [uuid]: evidence } })
  }
  return (
    <AskDialog
      open
      kept
      title={text(finished ? "tasks.reopenTitle" : "needsYou.noteTitle")}
      description={text("needsYou.noteLead")}
      confirm={text(finished ? "tasks.reopen" : "needsYou.sendBack")}
      disabled={disabled}
      onClose={onClose}
      onConfirm={() => void send()}
    >
      <div className="grid grid-cols-1 gap-4">
        <Field
          label={text("sendBack.reason")}
          hint={draft.resumed ? <DraftNote draft={draft} /> : text("sendBack.required")}
        >
          {(ids) => (
            <TextArea
              {...ids}
              autoFocus
              value={reason}
              onChange={(event) => draft.set({ ...draft.value, reason: event.target.value })}
              onKeyDown={onModEnter(() => void send())}
            />
          )}
        </Field>
        {threads > 0 && <p className="text-sm text-muted">{text("sendBack.threads", { count: threads })}</p>}
        {run !== undefined && (
          <Checkbox
            checked={goesOn}
            onChange={setGoesOn}
            label={text("sendBack.goOn", { program: PROGRAM_NAME[run.program], machine: run.machine ?? "" })}
          />
        )}
        {task === undefined && <SkeletonRows rows={2} />}
        {judged.length > 0 && (
          <fieldset className="grid grid-cols-1 gap-3">
            <legend className="mb-1.5 text-sm font-medium text-muted">{text("sendBack.failed")}</legend>
            {judged.map(({ uuid, description }) => (
              <div key={uuid} className="grid grid-cols-1 gap-1.5">
                <Checkbox
                  checked={failed[uuid] !== undefined}
                  disabled={standing[uuid] !== undefined}
                  onChange={(checked) => fail(uuid, checked ? "" : undefined)}
                  label={<span className="wrap-anywhere">{description}</span>}
                />
                {failed[uuid] !== undefined && (
                  <div className="pl-6">
                    <TextArea
                      rows={2}
                      className="text-sm"
                      value={failed[uuid]}
                      aria-label={text("sendBack.evidenceFor", { criterion: description })}
                      placeholder={text("sendBack.evidence")}
                      onChange={(event) => fail(uuid, event.target.value)}
                      onKeyDown={onModEnter(() => void send())}
                    />
                  </div>
                )}
              </div>
            ))}
          </fieldset>
        )}
      </div>
    </AskDialog>
  )
}

/** Work goes back with a reason, or with a word on each criterion that it fails. */
function saysWhy(evidence: readonly string[]): boolean {
  return evidence.length > 0 && evidence.every((words) => words.trim() !== "")
}
