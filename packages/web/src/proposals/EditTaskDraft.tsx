import { ChorusError, type drafts } from "@chorus/contracts"
import {
  AskDialog,
  Checkbox,
  DraftNote,
  Field,
  Input,
  onModEnter,
  Select,
  TextArea,
  toastError,
} from "../design/index.ts"
import { StaleNote } from "../documents/StaleNote.tsx"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { CriteriaFields } from "./CriteriaFields.tsx"
import { changesOf, formOf, isWhole, type TaskForm } from "./task-form.ts"

interface EditTaskDraftProps {
  readonly proposalUuid: string
  /** As it stands now; it changes when somebody else saves. */
  readonly draft: drafts.TaskDraft
  /** The other tasks of the plan, which it may wait for. */
  readonly others: readonly drafts.TaskDraft[]
  onClose(): void
}

/** A task of a plan, before it is one: what it is, what must be true at its end, and what comes first. */
export function EditTaskDraft({ proposalUuid, draft, others, onClose }: EditTaskDraftProps) {
  const text = useText()
  const update = useAction("chorus_pm_update_task_draft")
  const typed = useDraft(`edit.draft.${draft.uuid}`, { begun: draft.version, form: formOf(draft) })
  const { begun, form } = typed.value
  const stale = draft.version !== begun
  const set = (change: Partial<TaskForm>) => typed.set({ begun, form: { ...form, ...change } })
  const leave = () => {
    typed.drop()
    onClose()
  }
  const save = async () => {
    if (!isWhole(form) || update.busy) return
    try {
      await update.run(
        { proposalUuid, draftUuid: draft.uuid, expectedVersion: draft.version, ...changesOf(form) },
        { tell: false },
      )
      leave()
    } catch (error) {
      if (!(error instanceof ChorusError && error.code === "stale_version")) toastError(error)
    }
  }
  return (
    <AskDialog
      open
      wide
      kept="away"
      title={text("proposals.editTask")}
      confirm={text(stale ? "documents.overwrite" : "action.save")}
      disabled={!isWhole(form) || update.busy}
      onClose={leave}
      onConfirm={() => void save()}
    >
      <div className="grid grid-cols-1 gap-4">
        <DraftNote draft={typed} />
        {stale && <StaleNote version={draft.version} />}
        <Field label={text("tasks.title")}>
          {(ids) => (
            <Input
              {...ids}
              maxLength={256}
              value={form.title}
              onChange={(event) => set({ title: event.target.value })}
            />
          )}
        </Field>
        <Field label={text("tasks.description")} hint={text("tasks.markdownHint")}>
          {(ids) => (
            <TextArea
              {...ids}
              rows={6}
              value={form.description}
              onChange={(event) => set({ description: event.target.value })}
              onKeyDown={onModEnter(() => void save())}
            />
          )}
        </Field>
        <CriteriaFields items={form.criteria} onChange={(criteria) => set({ criteria })} />
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <Field label={text("board.priority")}>
            {(ids) => (
              <Select
                {...ids}
                value={form.priority}
                onChange={(event) => set({ priority: event.target.value as TaskForm["priority"] })}
              >
                <option value="">{text("proposals.noPriority")}</option>
                <option value="high">{text("board.priority.high")}</option>
                <option value="medium">{text("board.priority.medium")}</option>
                <option value="low">{text("board.priority.low")}</option>
              </Select>
            )}
          </Field>
          <Field label={text("tasks.points")}>
            {(ids) => (
              <Input
                {...ids}
                type="number"
                min={0}
                step="any"
                value={form.points}
                onChange={(event) => set({ points: event.target.value })}
              />
            )}
          </Field>
        </div>
        {others.length > 0 && (
          <fieldset className="grid grid-cols-1 gap-1.5">
            <legend className="mb-1.5 text-sm font-medium text-muted">{text("proposals.comesAfter")}</legend>
            <div className="grid max-h-48 grid-cols-1 gap-2 overflow-y-auto rounded-md border border-line p-3">
              {others.map(({ uuid, title }) => (
                <Checkbox
                  key={uuid}
                  checked={form.after.includes(uuid)}
                  label={title}
                  onChange={(on) =>
                    set({ after: on ? [...form.after, uuid] : form.after.filter((each) => each !== uuid) })
                  }
                />
              ))}
            </div>
          </fieldset>
        )}
      </div>
    </AskDialog>
  )
}
