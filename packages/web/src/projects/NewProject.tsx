import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useId } from "react"
import { Button, CancelButton, Dialog, DraftNote, Field, Input, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"

const NOTHING = { name: "", description: "" }

interface NewProjectProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
}

export function NewProject({ open, onOpenChange }: NewProjectProps) {
  const text = useText()
  const formId = useId()
  const navigate = useNavigate()
  const create = useAction("chorus_admin_create_project")
  const draft = useDraft("project", NOTHING)
  const { name, description } = draft.value
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const words = description.trim()
    const project = await create.run({ name: name.trim(), ...(words === "" ? {} : { description: words }) })
    if (project === undefined) return
    draft.drop()
    onOpenChange(false)
    await navigate({ to: "/projects/$projectUuid/board", params: { projectUuid: project.uuid }, ignoreBlocker: true })
  }
  return (
    <Dialog
      open={open}
      kept
      onOpenChange={onOpenChange}
      title={text("nav.newProject")}
      description={text("project.newLead")}
      footer={
        <>
          <CancelButton />
          <Button tone="primary" type="submit" form={formId} disabled={create.busy}>
            {text("action.create")}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={(event) => void submit(event)} className="grid gap-4">
        <DraftNote draft={draft} />
        <Field label={text("project.name")}>
          {(ids) => (
            <Input
              {...ids}
              required
              maxLength={200}
              autoFocus
              placeholder={text("project.nameExample")}
              value={name}
              onChange={(event) => draft.set({ name: event.target.value, description })}
            />
          )}
        </Field>
        <Field label={text("project.description")}>
          {(ids) => (
            <TextArea
              {...ids}
              rows={3}
              value={description}
              onChange={(event) => draft.set({ name, description: event.target.value })}
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}
