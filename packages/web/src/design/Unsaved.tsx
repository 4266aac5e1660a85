import { useBlocker } from "@tanstack/react-router"
import { useText } from "../i18n/language.ts"
import { AskDialog } from "./AskDialog.tsx"
import { leavesPage } from "./Dialog.tsx"

/** Asks before what was typed into a form of the page is lost: by going elsewhere on it, or by closing the window. */
export function Unsaved({ changed }: { readonly changed: boolean }) {
  const text = useText()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: leavesPage,
    disabled: !changed,
    withResolver: true,
  })
  return (
    <AskDialog
      open={status === "blocked"}
      title={text("draft.loseTitle")}
      confirm={text("draft.lose")}
      tone="danger"
      onClose={() => reset?.()}
      onConfirm={() => proceed?.()}
    />
  )
}
