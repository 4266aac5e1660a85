import { createContext, useContext } from "react"

/** What any page may ask of the frame around it. */
export interface Shell {
  openPalette(): void
  openShortcuts(): void
  openNewProject(): void
  /** A new task or idea, in the project that is open. */
  openNewTask(): void
}

export const ShellContext = createContext<Shell>({
  openPalette: () => undefined,
  openShortcuts: () => undefined,
  openNewProject: () => undefined,
  openNewTask: () => undefined,
})

export function useShell(): Shell {
  return useContext(ShellContext)
}
