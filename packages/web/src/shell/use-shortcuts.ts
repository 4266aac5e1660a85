import { useNavigate, useParams } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { isTyping } from "../design/index.ts"
import { GO_PLACES, GO_TO, SEQUENCE_MS } from "../keys/shortcuts.ts"

interface Shortcuts {
  onPalette(): void
  onShortcuts(): void
  onNewTask(): void
}

/** The keys that work everywhere: the palette, `?`, `c` for a new task, and `g` followed by a place. */
export function useShortcuts({ onPalette, onShortcuts, onNewTask }: Shortcuts): void {
  const navigate = useNavigate()
  const { projectUuid } = useParams({ strict: false })
  const state = useRef({ onPalette, onShortcuts, onNewTask, projectUuid, wentAt: -SEQUENCE_MS })
  useEffect(() => {
    Object.assign(state.current, { onPalette, onShortcuts, onNewTask, projectUuid })
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault()
        state.current.onPalette()
        return
      }
      if (event.metaKey || event.ctrlKey || event.altKey || event.isComposing || isTyping(event.target)) return
      if (event.key === "?") state.current.onShortcuts()
      else if (event.key === "/") {
        event.preventDefault()
        state.current.onPalette()
      } else if (event.timeStamp - state.current.wentAt < SEQUENCE_MS) {
        state.current.wentAt = -SEQUENCE_MS
        go(event.key)
      } else if (event.key === "c" && document.querySelector("[role=dialog][data-state=open]") === null) {
        event.preventDefault()
        state.current.onNewTask()
      } else if (event.key === "g") state.current.wentAt = event.timeStamp
    }
    const go = (key: string) => {
      const place = GO_TO[key]
      if (place === undefined) return
      const { to, inProject } = GO_PLACES[place]
      const project = state.current.projectUuid
      if (!inProject) void navigate({ to })
      else if (project !== undefined) void navigate({ to, params: { projectUuid: project } })
    }
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [navigate])
}
