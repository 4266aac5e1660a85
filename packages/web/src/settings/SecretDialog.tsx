import { Button, Dialog } from "../design/index.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { useText } from "../i18n/language.ts"
import { Secret } from "./Secret.tsx"

interface SecretDialogProps {
  readonly title: string
  readonly lead: string
  /** What it is, to those who do not see it. */
  readonly label: string
  readonly value: string
  /** Why it may not work as it stands. */
  readonly hint?: string | undefined
  onClose(): void
}

/** Something that is seen once: it goes when the person says to have it. */
export function SecretDialog({ title, lead, label, value, hint, onClose }: SecretDialogProps) {
  const text = useText()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={lead}
      footer={
        <Button tone="primary" onClick={onClose}>
          {text("settings.keys.copied")}
        </Button>
      }
    >
      <Secret value={value} label={label} />
      {hint !== undefined && (
        <p className="mt-3 text-sm text-waiting">
          <InlineCode text={hint} />
        </p>
      )}
    </Dialog>
  )
}
