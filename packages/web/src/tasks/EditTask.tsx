import type { tasks } from "@chorus/contracts"
import { useState } from "react"
import { Button, CancelButton, Dialog, Field, Input, onModEnter, Select, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"

interface EditTaskProps {
  readonly task: tasks.TaskDetail
  onClose(): void
}

export function EditTask({ task, onClose }: EditTaskProps) {
  const text = useText()
  const update = useAction("chorus_update_task")
  const [title, setTitle] = useState(task.title)
  const [description, setDescription] = useState(task.description ?? "")
  const [priority, setPriority] = useState(task.priority)
  const [points, setPoints] = useState(task.storyPoints === null ? "" : String(task.storyPoints))
  const save = async () => {
    const storyPoints = points.trim() === "" ? null : Number(points)
    if (title.trim() === "" || (storyPoints !== null && Number.isNaN(storyPoints))) return
    const done = await update.run({
      taskUuid: task.uuid,
      title: title.trim(),
      description: description === "" ? null : description,
      priority,
      storyPoints,
    })
    if (done !== undefined) onClose()
  }
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={text("tasks.editTitle")}
      footer={
        <>
          <CancelButton />
          <Button tone="primary" disabled={title.trim() === "" || update.busy} onClick={() => void save()}>
            {text("action.save")}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        <Field label={text("tasks.title")}>
          {(ids) => <Input {...ids} value={title} maxLength={256} onChange={(event) => setTitle(event.target.value)} />}
        </Field>
        <Field label={text("tasks.description")} hint={text("tasks.markdownHint")}>
          {(ids) => (
            <TextArea
              {...ids}
              rows={10}
              value={description}
              onChange={(event) => setDescription(event.target.value)}
              onKeyDown={onModEnter(() => void save())}
            />
          )}
        </Field>
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <Field label={text("board.priority")}>
            {(ids) => (
              <Select
                {...ids}
                value={priority}
                onChange={(event) => setPriority(event.target.value as tasks.TaskPriority)}
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
                onChange={(event) => setPoints(event.target.value)}
              />
            )}
          </Field>
        </div>
      </div>
    </Dialog>
  )
}
