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
  /** A second thing that can be done with the same words. */
  readonly also?: string
  onClose(): void
  onConfirm(reason: string): void
  onAlso?(reason: string): void
}

/** Asks for the reason of a decision, so that whoever is concerned can learn from it. */
export function ReasonDialog({
  open,
  title,
  lead,
  confirm,
  required = false,
  tone = "primary",
  also,
  onClose,
  onConfirm,
  onAlso,
}: ReasonDialogProps) {
  const text = useText()
  const [reason, setReason] = useState("")
  const empty = required && reason.trim() === ""
  const close = () => {
    setReason("")
    onClose()
  }
  const send = (act: ((reason: string) => void) | undefined = onConfirm) => {
    if (empty) return
    act?.(reason.trim())
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
          <Button tone={also === undefined ? tone : "secondary"} disabled={empty} onClick={() => send()}>
            {confirm}
          </Button>
          {also !== undefined && (
            <Button tone={tone} disabled={empty} onClick={() => send(onAlso)}>
              {also}
            </Button>
          )}
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
            onKeyDown={onModEnter(() => send())}
          />
        )}
      </Field>
    </Dialog>
  )
}
