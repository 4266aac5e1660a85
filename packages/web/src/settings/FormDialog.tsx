import { type FormEvent, type ReactNode, useId } from "react"
import { Button, CancelButton, Dialog } from "../design/index.ts"

interface FormDialogProps {
  readonly title: string
  readonly description?: string | undefined
  /** What the button that sends the form says. */
  readonly submit: string
  readonly busy: boolean
  readonly children: ReactNode
  onClose(): void
  onSubmit(form: FormData): void
}

/** A form that asks for everything one has; what was filled in stays until it is taken or given up. */
export function FormDialog({ title, description, submit, busy, children, onClose, onSubmit }: FormDialogProps) {
  const formId = useId()
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!busy) onSubmit(new FormData(event.currentTarget))
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      footer={
        <>
          <CancelButton />
          <Button tone="primary" type="submit" form={formId} disabled={busy}>
            {submit}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={send} className="grid gap-4">
        {children}
      </form>
    </Dialog>
  )
}

/** What somebody wrote into a field, without the blanks around it. */
export function wordsIn(form: FormData, name: string): string {
  return String(form.get(name) ?? "").trim()
}
