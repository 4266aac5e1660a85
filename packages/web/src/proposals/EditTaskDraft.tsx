import { ChorusError, type criteria, type drafts } from "@chorus/contracts"
import { Plus, Trash2 } from "lucide-react"
import { useState } from "react"
import {
  AskDialog,
  Button,
  Checkbox,
  Field,
  IconButton,
  Input,
  onModEnter,
  Select,
  TextArea,
  toastError,
} from "../design/index.ts"
import { StaleNote } from "../documents/StaleNote.tsx"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
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
  const [begun] = useState(draft.version)
  const [form, setForm] = useState(() => formOf(draft))
  const stale = draft.version !== begun
  const set = (change: Partial<TaskForm>) => setForm((now) => ({ ...now, ...change }))
  const save = async () => {
    if (!isWhole(form) || update.busy) return
    try {
      await update.run(
        { proposalUuid, draftUuid: draft.uuid, expectedVersion: draft.version, ...changesOf(form) },
        { tell: false },
      )
      onClose()
    } catch (error) {
      if (!(error instanceof ChorusError && error.code === "stale_version")) toastError(error)
    }
  }
  return (
    <AskDialog
      open
      wide
      title={text("proposals.editTask")}
      confirm={text(stale ? "documents.overwrite" : "action.save")}
      disabled={!isWhole(form) || update.busy}
      onClose={onClose}
      onConfirm={() => void save()}
    >
      <div className="grid grid-cols-1 gap-4">
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
        <Criteria items={form.criteria} onChange={(criteria) => set({ criteria })} />
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

function Criteria({
  items,
  onChange,
}: {
  readonly items: readonly criteria.CriterionInput[]
  onChange(items: readonly criteria.CriterionInput[]): void
}) {
  const text = useText()
  const change = (at: number, next: Partial<criteria.CriterionInput>) =>
    onChange(items.map((item, index) => (index === at ? { ...item, ...next } : item)))
  return (
    <fieldset className="grid grid-cols-1 gap-2">
      <legend className="mb-1.5 text-sm font-medium text-muted">{text("tasks.criteria")}</legend>
      {items.map((item, index) => (
        <div key={index} className="flex items-center gap-2">
          <Input
            aria-label={text("proposals.criterion", { number: index + 1 })}
            value={item.description}
            maxLength={2000}
            onChange={(event) => change(index, { description: event.target.value })}
          />
          <Checkbox
            checked={item.required !== false}
            label={text("tasks.required")}
            onChange={(required) => change(index, { required })}
          />
          <IconButton
            icon={Trash2}
            size="sm"
            label={text("proposals.removeCriterion", { number: index + 1 })}
            disabled={items.length === 1}
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <span>
        <Button
          size="sm"
          tone="ghost"
          icon={Plus}
          disabled={items.length >= 50}
          onClick={() => onChange([...items, { description: "" }])}
        >
          {text("proposals.addCriterion")}
        </Button>
      </span>
    </fieldset>
  )
}
