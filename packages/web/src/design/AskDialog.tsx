import type { ComponentProps } from "react"
import { Button } from "./Button.tsx"
import { CancelButton, Dialog } from "./Dialog.tsx"

interface AskDialogProps extends Omit<ComponentProps<typeof Dialog>, "footer" | "onOpenChange"> {
  /** What going through with it is called. */
  readonly confirm: string
  readonly tone?: "primary" | "danger"
  /** Not yet, or already on its way. */
  readonly disabled?: boolean
  onClose(): void
  onConfirm(): void
}

/** A dialog that is left by Cancel, or gone through with. */
export function AskDialog({
  confirm,
  tone = "primary",
  disabled = false,
  onClose,
  onConfirm,
  ...rest
}: AskDialogProps) {
  const footer = (
    <>
      <CancelButton />
      <Button tone={tone} disabled={disabled} onClick={onConfirm}>
        {confirm}
      </Button>
    </>
  )
  return <Dialog {...rest} onOpenChange={onClose} footer={footer} />
}
