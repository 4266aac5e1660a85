import { Button } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { Field, TextArea } from "../design/Field.tsx"
import { useText } from "../i18n/language.ts"
import { onModEnter } from "../keys/keys.ts"
import type { Item } from "./decide.ts"

interface NoteDialogProps {
  readonly item: Item | undefined
  readonly note: string
  onNote(note: string): void
  onClose(): void
  onSend(item: Item): void
}

/** Refusing says why; a proposal cannot be refused without. */
export function NoteDialog({ item, note, onNote, onClose, onSend }: NoteDialogProps) {
  const text = useText()
  const empty = item?.kind === "proposal" && note.trim() === ""
  const send = () => {
    if (item !== undefined && !empty) onSend(item)
  }
  return (
    <Dialog
      open={item !== undefined}
      onOpenChange={onClose}
      title={text(item?.kind === "task" ? "needsYou.noteTitle" : "needsYou.noteRejectTitle")}
      description={text("needsYou.noteLead")}
      footer={
        <>
          <Button onClick={onClose}>{text("action.cancel")}</Button>
          <Button tone="primary" disabled={empty} onClick={send}>
            {text(item?.kind === "task" ? "needsYou.sendBack" : "needsYou.reject")}
          </Button>
        </>
      }
    >
      <Field label={text("needsYou.note")}>{(ids) => <TextArea {...ids} autoFocus value={note} onChange={(event) => onNote(event.target.value)} onKeyDown={onModEnter(send)} />}</Field>
    </Dialog>
  )
}
