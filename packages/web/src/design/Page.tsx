import type { ReactNode } from "react"
import { classes } from "./classes.ts"

interface PageProps {
  readonly title: ReactNode
  /** A link to the page it belongs under. */
  readonly from?: ReactNode
  /** Stands beside the title: a count, a status. */
  readonly beside?: ReactNode
  /** Buttons of the page, the main one last. */
  readonly actions?: ReactNode
  /** On a phone what can be done lies within reach of a thumb, below the content. */
  readonly thumb?: boolean
  /** A second row: filters, ways to look. */
  readonly toolbar?: ReactNode
  readonly children: ReactNode
  /** A readable column, room for two of them side by side, or the whole window: then the page scrolls by itself. */
  readonly width?: "column" | "wide" | "full"
}

/** Every page begins at the same left edge, so that its name stays in place from one to the next. */
const INNER = {
  column: "w-full max-w-5xl px-4 md:px-6",
  wide: "w-full max-w-[1600px] px-4 md:px-6",
  full: "px-4 md:px-6",
}

const THUMB =
  // Words alone, so that all of them fit into one line.
  "max-md:[&_button:not([aria-label])>svg]:hidden max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-20 max-md:border-t max-md:border-line max-md:bg-surface max-md:px-3 max-md:pt-2 max-md:pb-[max(8px,env(safe-area-inset-bottom))] max-md:empty:hidden"

/** The frame of every page: its name, what can be done here, and the content. */
export function Page({ title, from, beside, actions, toolbar, children, thumb = false, width = "column" }: PageProps) {
  return (
    <main id="main" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
      <header className="w-full shrink-0 border-b border-line">
        <div className={INNER.full}>
          <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
            <div className="flex min-w-2/5 flex-1 items-center gap-3">
              <h1 className="min-w-0 text-lg font-semibold wrap-anywhere md:line-clamp-2">
                {from !== undefined && (
                  <span className="font-normal text-muted max-md:block max-md:text-xs [&>a]:hover:text-ink">
                    {from}
                    <span aria-hidden className="px-1.5 text-faint max-md:hidden">
                      /
                    </span>
                  </span>
                )}
                {title}
              </h1>
              {beside}
            </div>
            <div
              data-actions
              data-thumb={thumb || undefined}
              className={classes("ml-auto flex items-center justify-end gap-2 print:hidden", thumb && THUMB)}
            >
              {actions}
            </div>
          </div>
          {toolbar !== undefined && (
            <div className="flex flex-wrap items-center gap-2 pb-2.5 print:hidden">{toolbar}</div>
          )}
        </div>
      </header>
      <div className={classes("min-h-0 flex-1", width === "full" ? "flex flex-col" : "overflow-y-auto")}>
        {width === "full" ? (
          children
        ) : (
          <div className={classes(INNER[width], "py-4 md:py-6", thumb && "max-md:pb-24")}>{children}</div>
        )}
      </div>
    </main>
  )
}
