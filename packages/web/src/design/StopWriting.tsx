import { useState } from "react"
import { useText } from "../i18n/language.ts"
import { AskDialog } from "./AskDialog.tsx"
import { Button } from "./Button.tsx"

interface StopWritingProps {
  /** Something would be lost. */
  readonly changed: boolean
  onStop(): void
}

/** Cancels what is being written, after a question where that would lose something. */
export function StopWriting({ changed, onStop }: StopWritingProps) {
  const text = useText()
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => (changed ? setAsking(true) : onStop())}>{text("action.cancel")}</Button>
      <AskDialog
        open={asking}
        title={text("draft.loseTitle")}
        confirm={text("draft.lose")}
        tone="danger"
        onClose={() => setAsking(false)}
        onConfirm={onStop}
      />
    </>
  )
}
