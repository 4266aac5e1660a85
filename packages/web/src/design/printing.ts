import { useSyncExternalStore } from "react"
import { flushSync } from "react-dom"

let printing = false

/** Whether the page is on its way to paper, where nothing can be opened by a click. */
export function usePrinting(): boolean {
  return useSyncExternalStore(follow, () => printing)
}

/** The page takes the width of the paper before it is printed, so that what measures itself, as the graph does, fits. */
export function printPage(): void {
  document.documentElement.dataset["paper"] = ""
  addEventListener("afterprint", () => delete document.documentElement.dataset["paper"], { once: true })
  // What is opened for paper is there when the graph measures; the browser says the same again when it prints.
  dispatchEvent(new Event("beforeprint"))
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => print())))
}

function follow(listener: () => void): () => void {
  const begin = () => {
    printing = true
    // The browser draws the paper as soon as this event is over.
    flushSync(listener)
  }
  const end = () => {
    printing = false
    listener()
  }
  addEventListener("beforeprint", begin)
  addEventListener("afterprint", end)
  return () => {
    removeEventListener("beforeprint", begin)
    removeEventListener("afterprint", end)
  }
}
