import { ReasonDialog } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import type { Item } from "./decide.ts"

interface NoteDialogProps {
  readonly item: Item | undefined
  /** Said while it can be taken back, where nobody waits for the answer. */
  readonly holding?: string | undefined
  onClose(): void
  onBack?(item: Item): void
  /** Says whether the server took it. */
  onSend(item: Item, note: string, held?: Promise<boolean>): Promise<boolean>
}

/** Refusing says why; what an agent asks to change cannot be refused without. */
export function NoteDialog({ item, holding, onClose, onBack, onSend }: NoteDialogProps) {
  const text = useText()
  const denied = item?.attention?.kind === "permission"
  return (
    <ReasonDialog
      open={item !== undefined}
      draft={`refuse.${item?.uuid ?? ""}`}
      required={item?.attention?.kind === "change"}
      title={text(denied ? "needsYou.noteDenyTitle" : "needsYou.noteRejectTitle")}
      lead={text("needsYou.noteLead")}
      confirm={text(denied ? "needsYou.deny" : "needsYou.reject")}
      holding={holding}
      onClose={onClose}
      onBack={() => item !== undefined && onBack?.(item)}
      onConfirm={async (note, held) => (item !== undefined && (await onSend(item, note, held)) ? true : undefined)}
    />
  )
}
