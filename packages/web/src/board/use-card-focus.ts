import { useEffect } from "react"
import type { BoardState } from "./board-state.ts"

/** Where the card that is to be focused stands among the rows; `where` is new when it has been drawn in another place. */
export interface CardPlace {
  readonly at: number
  readonly where: string
}

/** Scrolls to the card that is to be focused and focuses it, also when it moves on while it has the focus. */
export function useCardFocus(
  focus: BoardState["focus"],
  place: CardPlace | undefined,
  scrollTo: (at: number) => void,
): void {
  useEffect(() => {
    if (focus === undefined || place === undefined) return
    scrollTo(place.at)
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-card="${focus.uuid}"]`)?.focus())
    // A new wish and another place count, not every change of the list.
  }, [focus, place?.where])
}
