import { type TextKey, useText } from "../i18n/language.ts"
import type { Drag } from "./board-state.ts"
import type { ColumnId } from "./columns.ts"
import { type Move, moveTo } from "./moves.ts"

export const WHY: Record<Extract<Move, { may: false }>["why"], TextKey> = {
  blocked: "board.why.blocked",
  rule: "board.why.rule",
  same: "board.why.same",
}

/** Says why the card that hovers here cannot stay. */
export function DropHint({ id, drag }: { readonly id: ColumnId; readonly drag: Drag | undefined }) {
  const text = useText()
  if (drag?.over !== id) return null
  const move = moveTo(drag.task, id)
  if (move.may || move.why === "same") return null
  return <p className="mb-2 rounded-md bg-waiting-soft px-3 py-2 text-xs text-waiting">{text(WHY[move.why])}</p>
}
