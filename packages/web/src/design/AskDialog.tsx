import type { ComponentProps } from "react"
import { Button } from "./Button.tsx"
import { CancelButton, Dialog } from "./Dialog.tsx"
import { MOD } from "./keys.ts"

interface AskDialogProps extends Omit<ComponentProps<typeof Dialog>, "footer" | "onOpenChange" | "onSend"> {
  /** What going through with it is called. */
  readonly confirm: string
  readonly tone?: "primary" | "danger"
  /** A further step that can be taken with the same words; it comes to the fore. */
  readonly also?: string | undefined
  /** Not yet, or already on its way. */
  readonly disabled?: boolean
  /** The same for the further step alone. */
  readonly alsoDisabled?: boolean
  onClose(): void
  onConfirm(): void
  onAlso?(): void
}

/** A dialog that is left by Cancel, or gone through with. */
export function AskDialog({
  confirm,
  tone = "primary",
  also,
  disabled = false,
  alsoDisabled = disabled,
  onClose,
  onConfirm,
  onAlso,
  ...rest
}: AskDialogProps) {
  const footer = (
    <>
      <CancelButton />
      <Button
        tone={also === undefined ? tone : "secondary"}
        disabled={disabled}
        title={`${MOD}+Enter`}
        onClick={onConfirm}
      >
        {confirm}
      </Button>
      {also !== undefined && (
        <Button tone={tone} disabled={alsoDisabled} onClick={onAlso}>
          {also}
        </Button>
      )}
    </>
  )
  return <Dialog {...rest} onOpenChange={onClose} onSend={disabled ? undefined : onConfirm} footer={footer} />
}
