import { useState } from "react"
import { useText } from "../i18n/language.ts"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Field, TextArea } from "./Field.tsx"
import { onModEnter } from "./keys.ts"

interface ReasonDialogProps {
  readonly open: boolean
  readonly title: string
  readonly lead: string
  readonly confirm: string
  /** Nothing can be sent without words. */
  readonly required?: boolean
  readonly tone?: "primary" | "danger"
  onClose(): void
  onConfirm(reason: string): void
}

/** Asks for the reason of a decision, so that whoever is concerned can learn from it. */
export function ReasonDialog({
  open,
  title,
  lead,
  confirm,
  required = false,
  tone = "primary",
  onClose,
  onConfirm,
}: ReasonDialogProps) {
  const text = useText()
  const [reason, setReason] = useState("")
  const empty = required && reason.trim() === ""
  const close = () => {
    setReason("")
    onClose()
  }
  const send = () => {
    if (empty) return
    onConfirm(reason.trim())
    close()
  }
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={title}
      description={lead}
      footer={
        <>
          <Button onClick={close}>{text("action.cancel")}</Button>
          <Button tone={tone} disabled={empty} onClick={send}>
            {confirm}
          </Button>
        </>
      }
    >
      <Field label={text("needsYou.note")}>
        {(ids) => (
          <TextArea
            {...ids}
            autoFocus
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            onKeyDown={onModEnter(send)}
          />
        )}
      </Field>
    </Dialog>
  )
}
