import type { criteria, tasks } from "@chorus/contracts"
import { isFinished } from "@chorus/core"
import { Button, CancelButton, Dialog, DraftNote, Field, Input, onModEnter, Select } from "../design/index.ts"
import { StaleNote } from "../documents/StaleNote.tsx"
import { useWriting } from "../documents/use-writing.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { CriteriaFields } from "../proposals/CriteriaFields.tsx"
import { MarkdownField } from "../writing/MarkdownField.tsx"
import { DependsOnField, type NamedTask } from "./DependsOnField.tsx"
import { criterionInput, mayMeasure } from "./task-status.ts"

interface EditTaskProps {
  /** As it stands now; it changes when somebody else saves. */
  readonly task: tasks.TaskDetail
  onClose(): void
}

interface Fields {
  title: string
  description: string
  priority: tasks.TaskPriority
  points: string
  criteria: readonly criteria.CriterionInput[]
  dependsOn: readonly NamedTask[]
}

const NAMES: Record<keyof Fields, TextKey> = {
  title: "tasks.title",
  description: "tasks.description",
  priority: "board.priority",
  points: "tasks.points",
  criteria: "tasks.criteria",
  dependsOn: "tasks.dependsOn",
}

export function EditTask({ task, onClose }: EditTaskProps) {
  const text = useText()
  const update = useAction("chorus_update_task")
  const subject = { ...formOf(task), version: task.version }
  const measured = mayMeasure(task.status)
  const { fields, clashes, touched, busy, draft, set, keep } = useWriting<Fields>(
    task.uuid,
    subject,
    ["title", "description", "priority", "points", "criteria", "dependsOn"],
    ({ criteria: items, dependsOn, ...changes }, expectedVersion) => {
      const sent = {
        ...changesOf(measured && items !== undefined ? { ...changes, criteria: items } : changes),
        ...(dependsOn === undefined ? {} : rewired(task.dependsOn, dependsOn)),
      }
      return update.run({ taskUuid: task.uuid, ...sent, expectedVersion }, { tell: false })
    },
    onClose,
  )
  const { title, description, priority, points } = fields
  const stale = clashes.length > 0
  const whole = title.trim() !== "" && !Number.isNaN(Number(points))
  const save = async () => {
    if (whole) await keep()
  }
  const late = !measured && touched.includes("criteria")
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={text("tasks.editTitle")}
      footer={
        <>
          <CancelButton />
          <Button
            tone="primary"
            disabled={title.trim() === "" || busy || (late && touched.length === 1)}
            onClick={() => void save()}
          >
            {text(stale ? "documents.overwrite" : "action.save")}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        {stale && (
          <StaleNote
            version={task.version}
            of={{ targetType: "task", targetUuid: task.uuid }}
            theirs={clashes.map((name) => ({ name: text(NAMES[name]), words: wordsOf(subject[name]) }))}
          />
        )}
        {late && (
          <div role="alert" className="grid gap-2 rounded-lg bg-waiting-soft px-4 py-3 text-sm text-waiting">
            <p>{text("tasks.criteriaLate")}</p>
            <pre className="font-mono text-xs wrap-anywhere whitespace-pre-wrap text-ink">
              {wordsOf(fields.criteria)}
            </pre>
          </div>
        )}
        <DraftNote draft={draft} />
        <Field label={text("tasks.title")}>
          {(ids) => (
            <Input {...ids} value={title} maxLength={256} onChange={(event) => set("title", event.target.value)} />
          )}
        </Field>
        <Field label={text("tasks.description")} hint={text("tasks.markdownHint")}>
          {(ids) => (
            <MarkdownField
              {...ids}
              rows={10}
              value={description}
              attachTo={{ targetType: "task", targetUuid: task.uuid }}
              onChange={(words) => set("description", words)}
              onKeyDown={onModEnter(() => void save())}
            />
          )}
        </Field>
        {measured && task.acceptanceCriteriaItems.length > 0 && (
          <CriteriaFields items={fields.criteria} onChange={(items) => set("criteria", items)} />
        )}
        {!isFinished(task.status) && (
          <DependsOnField
            projectUuid={task.projectUuid}
            chosen={fields.dependsOn}
            except={[task.uuid, ...task.dependedBy.map(({ uuid }) => uuid)]}
            onChange={(chosen) => set("dependsOn", chosen)}
          />
        )}
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <Field label={text("board.priority")}>
            {(ids) => (
              <Select
                {...ids}
                value={priority}
                onChange={(event) => set("priority", event.target.value as tasks.TaskPriority)}
              >
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
                value={points}
                onChange={(event) => set("points", event.target.value)}
              />
            )}
          </Field>
        </div>
      </div>
    </Dialog>
  )
}

function formOf(task: tasks.TaskDetail): Fields {
  return {
    title: task.title,
    description: task.description ?? "",
    priority: task.priority,
    points: task.storyPoints === null ? "" : String(task.storyPoints),
    criteria: task.acceptanceCriteriaItems.map(criterionInput),
    dependsOn: task.dependsOn.map(({ uuid, title }) => ({ uuid, title })),
  }
}

function changesOf({ title, description, priority, points, criteria: items }: Partial<Omit<Fields, "dependsOn">>) {
  const named = items?.filter((item) => item.description.trim() !== "")
  return {
    ...(title === undefined ? {} : { title: title.trim() }),
    ...(description === undefined ? {} : { description: description === "" ? null : description }),
    ...(priority === undefined ? {} : { priority }),
    ...(points === undefined ? {} : { storyPoints: points.trim() === "" ? null : Number(points) }),
    ...(named === undefined || named.length === 0
      ? {}
      : { acceptanceCriteriaItems: named.map((item) => ({ ...item, description: item.description.trim() })) }),
  }
}

/** What is kept is not named, so that its contract stays. */
function rewired(now: readonly NamedTask[], wanted: readonly NamedTask[]) {
  const without = (some: readonly NamedTask[], others: readonly NamedTask[]) =>
    some.map(({ uuid }) => uuid).filter((uuid) => !others.some((other) => other.uuid === uuid))
  const [added, removed] = [without(wanted, now), without(now, wanted)]
  return {
    ...(added.length === 0 ? {} : { addDependsOn: added }),
    ...(removed.length === 0 ? {} : { removeDependsOn: removed }),
  }
}

function wordsOf(value: Fields[keyof Fields]): string {
  return typeof value === "string"
    ? value
    : value.map((item) => `- ${"title" in item ? item.title : item.description}`).join("\n")
}
