import { AskDialog } from "../design/index.ts"

interface ConfirmDialogProps {
  readonly title: string
  /** What will be so afterwards. */
  readonly lead: string
  readonly confirm: string
  onClose(): void
  onConfirm(): void
}

/** Asks before something that nobody can take back. */
export function ConfirmDialog({ lead, onClose, onConfirm, ...rest }: ConfirmDialogProps) {
  const goOn = () => {
    onClose()
    onConfirm()
  }
  return (
    <AskDialog {...rest} open tone="danger" onClose={onClose} onConfirm={goOn}>
      <p className="text-sm text-muted">{lead}</p>
    </AskDialog>
  )
}
