/** What of a keyboard event matters here; React's and the browser's own both fit. */
export interface KeyPress {
  readonly key: string
  readonly shiftKey: boolean
  readonly metaKey: boolean
  readonly ctrlKey: boolean
  readonly isComposing?: boolean
  readonly keyCode?: number
  readonly nativeEvent?: { readonly isComposing: boolean }
  preventDefault(): void
}

/** Whether an input method is composing; its Enter chooses a word and must never send. Safari says so only by 229. */
export function isComposing(event: Pick<KeyPress, "isComposing" | "keyCode" | "nativeEvent">): boolean {
  return event.isComposing === true || event.nativeEvent?.isComposing === true || event.keyCode === 229
}

/** For `onKeyDown`: Enter sends, Shift+Enter and composing do not. */
export function onEnter(send: () => void): (event: KeyPress) => void {
  return (event) => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return
    event.preventDefault()
    send()
  }
}

/** For `onKeyDown` of a longer text: ⌘/Ctrl+Enter sends, plain Enter is a new line. */
export function onModEnter(send: () => void): (event: KeyPress) => void {
  return (event) => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || isComposing(event)) return
    event.preventDefault()
    send()
  }
}

/** The key held down together with others, as it is called on this machine. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl"

/** Whether keys go into a text at this moment, so that no shortcut may take them. */
export function isTyping(target: EventTarget | null): boolean {
  if (target === null || !("closest" in target)) return false
  return (target as Element).closest("input, textarea, select, [contenteditable], [role=textbox]") !== null
}
