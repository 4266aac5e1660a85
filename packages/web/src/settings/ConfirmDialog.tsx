import { Button } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { useText } from "../i18n/language.ts"

interface ConfirmDialogProps {
  readonly title: string
  /** What will be so afterwards. */
  readonly lead: string
  readonly confirm: string
  onClose(): void
  onConfirm(): void
}

/** Asks before something that nobody can take back. */
export function ConfirmDialog({ title, lead, confirm, onClose, onConfirm }: ConfirmDialogProps) {
  const text = useText()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{text("action.cancel")}</Button>
          <Button
            tone="danger"
            autoFocus
            onClick={() => {
              onClose()
              onConfirm()
            }}
          >
            {confirm}
          </Button>
        </>
      }
    >
      <p className="text-sm text-muted">{lead}</p>
    </Dialog>
  )
}
