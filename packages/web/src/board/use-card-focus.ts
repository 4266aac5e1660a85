import { useEffect } from "react"
import type { BoardState } from "./board-state.ts"

/** Scrolls to the card that is to be focused and focuses it, also when it comes in from another column while it had the focus. */
export function useCardFocus(focus: BoardState["focus"], at: number, scrollTo: (at: number) => void): void {
  const here = at >= 0
  useEffect(() => {
    if (focus === undefined || !here) return
    scrollTo(at)
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-card="${focus.uuid}"]`)?.focus())
    // A new wish and an arrival count, not every change of the list.
  }, [focus, here])
}
