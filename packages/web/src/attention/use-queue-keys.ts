import { useEffect, useRef } from "react"
import { isComposing, isTyping } from "../design/index.ts"
import { SEQUENCE_MS } from "../keys/shortcuts.ts"

/** Calls back with keys that nobody is typing with; what is taken goes no further. */
export function useQueueKeys(take: (key: string) => boolean, enabled: boolean): void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    if (!enabled) return
    let wentAt = -SEQUENCE_MS
    const listen = (event: KeyboardEvent) => {
      // A key that is held down, or the second of `g` and a place, decides nothing.
      const follows = event.timeStamp - wentAt < SEQUENCE_MS
      wentAt = event.key === "g" ? event.timeStamp : -SEQUENCE_MS
      if (
        event.metaKey ||
        event.ctrlKey ||
        event.altKey ||
        event.repeat ||
        follows ||
        isComposing(event) ||
        isTyping(event.target) ||
        isElsewhere(event)
      )
        return
      if (latest.current(event.key)) event.preventDefault()
    }
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [enabled])
}

/** What lies over the page has its keys to itself, and Enter presses what has the focus. */
function isElsewhere({ target, key }: KeyboardEvent): boolean {
  return (
    target instanceof Element &&
    target.closest(key === "Enter" ? "[role=dialog], [role=menu], button, a" : "[role=dialog], [role=menu]") !== null
  )
}
