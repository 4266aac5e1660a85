import { type RefObject, useEffect, useRef } from "react"

interface KeysMeanwhileProps {
  readonly typed: RefObject<string>
  onClose(): void
}

/** Keeps the letters that are typed while the palette is fetched, so that none is lost after the shortcut. */
export function KeysMeanwhile({ typed, onClose }: KeysMeanwhileProps) {
  const close = useRef(onClose)
  useEffect(() => {
    close.current = onClose
  })
  useEffect(() => {
    typed.current = ""
    const listen = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey) return
      if (event.key.length === 1) typed.current += event.key
      else if (event.key === "Backspace") typed.current = typed.current.slice(0, -1)
      else if (event.key === "Escape") close.current()
      else return
      event.preventDefault()
      event.stopPropagation()
    }
    addEventListener("keydown", listen, { capture: true })
    return () => removeEventListener("keydown", listen, { capture: true })
  }, [typed])
  return <div className="fixed inset-0 z-40 bg-overlay" />
}
