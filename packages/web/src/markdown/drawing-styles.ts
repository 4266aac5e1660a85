const kept = new Map<string, HTMLStyleElement>()
let watching = false

/**
 * Mermaid puts a style element without a nonce into each drawing, and parses the drawing again as text; the page's policy
 * refuses both. From here on such an element gets the nonce as it is made and, once it stands in a drawing, moves to the head:
 * the drawing is measured right, and its text holds no style.
 */
export function watchDrawingStyles(): void {
  if (watching) return
  watching = true
  const nonce = document.querySelector<HTMLElement>("meta[property=csp-nonce]")?.nonce ?? ""
  const make = document.createElement.bind(document)
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    const element = make(name, options)
    if (!(element instanceof HTMLStyleElement)) return element
    element.nonce = nonce
    queueMicrotask(() => {
      const id = element.closest("svg")?.id
      if (id === undefined || id === "") return
      kept.set(id, element)
      document.head.append(element)
    })
    return element
  }
}

/** The style of a drawing, which is not needed in the page any more. */
export function takeDrawingStyle(id: string): string {
  const element = kept.get(id)
  kept.delete(id)
  element?.remove()
  return element?.textContent ?? ""
}
