import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useId } from "react"
import { Button, CancelButton, Dialog, Field, Input, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"

interface NewProjectProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
}

export function NewProject({ open, onOpenChange }: NewProjectProps) {
  const text = useText()
  const formId = useId()
  const navigate = useNavigate()
  const create = useAction("chorus_admin_create_project")
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const description = String(form.get("description")).trim()
    const project = await create.run({
      name: String(form.get("name")).trim(),
      ...(description === "" ? {} : { description }),
    })
    if (project === undefined) return
    onOpenChange(false)
    await navigate({ to: "/projects/$projectUuid/board", params: { projectUuid: project.uuid } })
  }
  return (
    <Dialog
      open={open}
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
        <Field label={text("project.name")}>
          {(ids) => (
            <Input {...ids} name="name" required maxLength={200} autoFocus placeholder={text("project.nameExample")} />
          )}
        </Field>
        <Field label={text("project.description")}>{(ids) => <TextArea {...ids} name="description" rows={3} />}</Field>
      </form>
    </Dialog>
  )
}
