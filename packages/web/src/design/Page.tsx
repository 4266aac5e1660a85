import type { ReactNode } from "react"
import { classes } from "./classes.ts"

interface PageProps {
  readonly title: ReactNode
  /** Stands beside the title: a count, a status. */
  readonly beside?: ReactNode
  /** Buttons of the page, the main one last. */
  readonly actions?: ReactNode
  /** A second row: filters, ways to look. */
  readonly toolbar?: ReactNode
  readonly children: ReactNode
  /** Fills the window instead of a readable column; the page scrolls by itself. */
  readonly full?: boolean
}

/** The frame of every page: its name, what can be done here, and the content. */
export function Page({ title, beside, actions, toolbar, children, full = false }: PageProps) {
  return (
    <main id="main" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
      <header className="shrink-0 border-b border-line px-4 md:px-6">
        <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
          <h1 className="min-w-0 truncate text-lg font-semibold">{title}</h1>
          {beside}
          <div className="ml-auto flex items-center gap-2">{actions}</div>
        </div>
        {toolbar !== undefined && <div className="flex flex-wrap items-center gap-2 pb-2.5">{toolbar}</div>}
      </header>
      <div className={classes("min-h-0 flex-1", full ? "flex flex-col" : "overflow-y-auto")}>{full ? children : <div className="mx-auto w-full max-w-5xl p-4 md:p-6">{children}</div>}</div>
    </main>
  )
}
