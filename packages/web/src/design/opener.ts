import { useState } from "react"

/**
 * For what lies over the page and takes the focus: gives it back, when it closes, to what had it before. The library knows only
 * openers of its own, and a field that takes the focus by itself has it before the library looks.
 */
export function useOpener(open: boolean): { onCloseAutoFocus(event: Event): void } {
  const [was, setWas] = useState<{ readonly open: boolean; readonly opener: Element | null }>({
    open: false,
    opener: null,
  })
  if (open !== was.open) setWas({ open, opener: open ? lasting(document.activeElement) : was.opener })
  return {
    onCloseAutoFocus(event) {
      event.preventDefault()
      if (was.opener instanceof HTMLElement) was.opener.focus()
    },
  }
}

/** An item of a menu goes with its menu; what opened the menu stays. */
function lasting(element: Element | null): Element | null {
  const menu = element?.closest("[role=menu]")
  return menu === null || menu === undefined
    ? element
    : document.getElementById(menu.getAttribute("aria-labelledby") ?? "")
}
