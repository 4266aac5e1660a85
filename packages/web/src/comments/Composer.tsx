import { useState } from "react"
import { Button, DraftNote, onModEnter } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { MarkdownField } from "../writing/MarkdownField.tsx"
import type { AttachTo } from "../writing/use-attaching.ts"

interface ComposerProps {
  readonly placeholder: string
  readonly send: string
  /** What is written to, so that the words are kept for it until they are sent. */
  readonly draft: string
  readonly initial?: string
  readonly autoFocus?: boolean
  /** False where nobody of this workspace reads along. */
  readonly mentions?: boolean
  /** What pasted and dropped files are attached to; without it none are taken. */
  readonly attachTo?: AttachTo
  /** Answers whether it arrived; what did not stays in the field. */
  onSend(text: string): Promise<boolean>
  onCancel?(): void
}

/** Where one writes to others: ⌘/Ctrl+Enter sends. */
export function Composer({
  placeholder,
  send,
  draft: name,
  initial = "",
  autoFocus = false,
  mentions = true,
  attachTo,
  onSend,
  onCancel,
}: ComposerProps) {
  const text = useText()
  const draft = useDraft(name, initial)
  const { value } = draft
  const [busy, setBusy] = useState(false)
  const submit = async () => {
    if (value.trim() === "" || busy) return
    setBusy(true)
    if (await onSend(value.trim())) draft.drop()
    setBusy(false)
  }
  return (
    <MarkdownField
      rows={value.split("\n").length > 3 ? 6 : 2}
      value={value}
      onChange={draft.set}
      autoFocus={autoFocus}
      aria-label={placeholder}
      placeholder={placeholder}
      completes={mentions}
      preview={mentions}
      attachTo={attachTo}
      onKeyDown={(event) => {
        if (event.key === "Escape" && onCancel !== undefined) {
          event.stopPropagation()
          onCancel()
        }
        onModEnter(() => void submit())(event)
      }}
    >
      <Button tone="primary" size="sm" disabled={busy || value.trim() === ""} onClick={() => void submit()}>
        {send}
      </Button>
      {onCancel !== undefined && (
        <Button size="sm" onClick={onCancel}>
          {text("action.cancel")}
        </Button>
      )}
      <DraftNote draft={draft} />
    </MarkdownField>
  )
}
