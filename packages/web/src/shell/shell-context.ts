import { createContext, useContext } from "react"

/** What any page may ask of the frame around it. */
export interface Shell {
  openPalette(): void
  openShortcuts(): void
  openNewProject(): void
}

export const ShellContext = createContext<Shell>({
  openPalette: () => undefined,
  openShortcuts: () => undefined,
  openNewProject: () => undefined,
})

export function useShell(): Shell {
  return useContext(ShellContext)
}
