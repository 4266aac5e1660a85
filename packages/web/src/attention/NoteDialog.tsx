import { AskDialog, Field, onModEnter, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
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
    <AskDialog
      open={item !== undefined}
      title={text(item?.kind === "task" ? "needsYou.noteTitle" : "needsYou.noteRejectTitle")}
      description={text("needsYou.noteLead")}
      confirm={text(item?.kind === "task" ? "needsYou.sendBack" : "needsYou.reject")}
      disabled={empty}
      onClose={onClose}
      onConfirm={send}
    >
      <Field label={text("needsYou.note")}>
        {(ids) => (
          <TextArea
            {...ids}
            autoFocus
            value={note}
            onChange={(event) => onNote(event.target.value)}
            onKeyDown={onModEnter(send)}
          />
        )}
      </Field>
    </AskDialog>
  )
}
