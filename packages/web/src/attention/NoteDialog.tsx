import { useState } from "react"
import { Button } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { Field, TextArea } from "../design/Field.tsx"
import { useText } from "../i18n/language.ts"
import { onModEnter } from "../keys/keys.ts"
import type { Item } from "./decide.ts"

interface NoteDialogProps {
  readonly item: Item | undefined
  onClose(): void
  onSend(item: Item, note: string): void
}

/** Refusing says why; a proposal cannot be refused without. */
export function NoteDialog({ item, onClose, onSend }: NoteDialogProps) {
  const text = useText()
  const [note, setNote] = useState("")
  const empty = item?.kind === "proposal" && note.trim() === ""
  const close = () => {
    setNote("")
    onClose()
  }
  const send = () => {
    if (item === undefined || empty) return
    onSend(item, note.trim())
    setNote("")
  }
  return (
    <Dialog
      open={item !== undefined}
      onOpenChange={close}
      title={text(item?.kind === "task" ? "needsYou.noteTitle" : "needsYou.noteRejectTitle")}
      description={text("needsYou.noteLead")}
      footer={
        <>
          <Button onClick={close}>{text("action.cancel")}</Button>
          <Button tone="primary" disabled={empty} onClick={send}>
            {text(item?.kind === "task" ? "needsYou.sendBack" : "needsYou.reject")}
          </Button>
        </>
      }
    >
      <Field label={text("needsYou.note")}>{(ids) => <TextArea {...ids} autoFocus value={note} onChange={(event) => setNote(event.target.value)} onKeyDown={onModEnter(send)} />}</Field>
    </Dialog>
  )
}
