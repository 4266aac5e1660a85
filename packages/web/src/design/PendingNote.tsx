import { useText } from "../i18n/language.ts"
import { Button } from "./Button.tsx"
import type { Pending } from "./second-thought.ts"

/** Where a thing is shown that has been decided on just now: what is being done with it, and the way back. */
export function PendingNote({ pending: { title, undo } }: { readonly pending: Pending }) {
  const text = useText()
  return (
    <div role="status" className="flex items-center gap-3 rounded-lg bg-progress-soft px-4 py-2 text-sm text-progress">
      <span className="min-w-0 flex-1 font-medium wrap-anywhere">{title}</span>
      {undo !== undefined && (
        <Button size="sm" onClick={undo}>
          {text("action.undo")}
        </Button>
      )}
    </div>
  )
}
