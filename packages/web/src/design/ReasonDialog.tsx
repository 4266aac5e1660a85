import { type ReactNode, useState } from "react"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { AskDialog } from "./AskDialog.tsx"
import { DraftNote } from "./DraftNote.tsx"
import { Field, TextArea } from "./Field.tsx"
import { onModEnter } from "./keys.ts"
import { type DecidedOn, secondThoughtOf } from "./second-thought.ts"

interface ReasonDialogProps {
  readonly open: boolean
  /** What the words are about, so that they are kept for it until they are sent. */
  readonly draft: string
  readonly title: string
  readonly lead: ReactNode
  readonly confirm: string
  /** Nothing can be sent without words. */
  readonly required?: boolean
  readonly tone?: "primary" | "danger"
  /** A second thing that can be done with the same words, never without. */
  readonly also?: string
  /** Said while it can be taken back; without, it is sent at once. */
  readonly holding?: string | undefined
  readonly alsoHolding?: string | undefined
  readonly about?: DecidedOn | undefined
  onClose(): void
  /** What was held is asked again: the server did not take it. */
  onBack?(): void
  /** Resolves to undefined where the server did not take it: then the dialog stays, with the words. */
  onConfirm(reason: string, held?: Promise<boolean>): Promise<unknown>
  onAlso?(reason: string, held?: Promise<boolean>): Promise<unknown>
}

/** Asks for the reason of a decision, so that whoever is concerned can learn from it. */
export function ReasonDialog({
  draft: name,
  required = false,
  lead,
  open,
  holding,
  alsoHolding,
  about,
  onClose,
  onBack = () => undefined,
  onConfirm,
  onAlso,
  ...rest
}: ReasonDialogProps) {
  const text = useText()
  const draft = useDraft(name, "")
  const [busy, setBusy] = useState(false)
  const wordless = draft.value.trim() === ""
  const disabled = busy || (required && wordless)
  const send = async (act = onConfirm, title = holding) => {
    if (disabled || (act === onAlso && wordless)) return
    const words = draft.value.trim()
    if (title !== undefined) {
      const send = (held: Promise<boolean>) => act(words, held)
      const sent = await secondThoughtOf(title, { about, send, close: onClose, back: onBack })
      if (sent) draft.drop()
      return
    }
    setBusy(true)
    const done = await act(words)
    setBusy(false)
    if (done === undefined) return
    draft.drop()
    onClose()
  }
  return (
    <AskDialog
      {...rest}
      kept
      open={open}
      description={lead}
      disabled={disabled}
      alsoDisabled={busy || wordless}
      onClose={onClose}
      onConfirm={() => void send()}
      onAlso={() => void send(onAlso, alsoHolding)}
    >
      <Field label={text("needsYou.note")} hint={draft.resumed ? <DraftNote draft={draft} /> : undefined}>
        {(ids) => (
          <TextArea
            {...ids}
            autoFocus
            value={draft.value}
            onChange={(event) => draft.set(event.target.value)}
            onKeyDown={onModEnter(() => void send())}
          />
        )}
      </Field>
    </AskDialog>
  )
}
