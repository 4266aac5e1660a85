import { type KeyboardEvent, useId, useState } from "react"
import { isComposing } from "../design/index.ts"
import type { Completion } from "./use-completions.ts"

export interface Choosing {
  /** The list's own, for the field that opens it. */
  readonly id: string
  readonly found: readonly Completion[]
  readonly at: number
  /** What the field says of the list below it. */
  readonly aria: {
    readonly "aria-autocomplete": "list"
    readonly "aria-controls": string
    readonly "aria-activedescendant": string | undefined
  }
  choose(chosen: Completion): void
  /** Goes back to the best fit, after something was typed. */
  restart(): void
  /** Whether the key was meant for the list: arrows, Enter or Tab, and Escape, which puts it away. */
  onKey(event: KeyboardEvent): boolean
}

/** One of what fits is taken, by hand or by the keys, while the field keeps the focus. */
export function useChoosing(
  found: readonly Completion[],
  choose: (chosen: Completion) => void,
  leave: () => void,
): Choosing {
  const id = useId()
  const [at, setAt] = useState(0)
  const best = found[at]
  const onKey = (event: KeyboardEvent): boolean => {
    if (found.length === 0 || isComposing(event)) return false
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault()
      setAt((now) => (now + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length)
      return true
    }
    if ((event.key === "Enter" && !event.metaKey && !event.ctrlKey) || event.key === "Tab") {
      event.preventDefault()
      if (best !== undefined) choose(best)
      return true
    }
    if (event.key !== "Escape") return false
    event.stopPropagation()
    leave()
    return true
  }
  return {
    id,
    found,
    at,
    aria: {
      "aria-autocomplete": "list",
      "aria-controls": id,
      "aria-activedescendant": found.length > 0 ? `${id}-${at}` : undefined,
    },
    choose,
    restart: () => setAt(0),
    onKey,
  }
}
