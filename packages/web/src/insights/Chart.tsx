import type { ReactNode } from "react"
import { classes } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { spread } from "./chart.ts"

interface ChartProps {
  readonly title: string
  readonly lead?: string
  /** Stands at the right of the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** The same in rows, for those who read rather than look. */
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  readonly className?: string
}

/** A picture of numbers on its card, with the numbers themselves one click away. */
export function Chart({ title, lead, actions, children, table, className }: ChartProps) {
  const text = useText()
  return (
    <section
      aria-label={title}
      className={classes("min-w-0 rounded-lg border border-line bg-surface p-4 shadow-(--shadow-card)", className)}
    >
      <header className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="text-sm font-semibold">{title}</h2>
          {lead !== undefined && <p className="text-xs text-faint">{lead}</p>}
        </div>
        {actions}
      </header>
      <div className="mt-3">{children}</div>
      {table !== undefined && (
        <details className="mt-3 text-sm">
          <summary className="cursor-pointer text-xs text-muted hover:text-ink">{text("insights.asTable")}</summary>
          <div className="relative mt-2 max-h-64 overflow-auto" tabIndex={0} role="group" aria-label={title}>
            <table className="w-full text-left text-xs tabular-nums">
              <thead className="text-faint">
                <tr>
                  {table.head.map((name) => (
                    <th key={name} scope="col" className="py-1 pr-4 font-medium">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {table.rows.map((row, index) => (
                  <tr key={index} className="border-t border-line">
                    {row.map((cell, at) => (
                      <td key={at} className="py-1 pr-4">
                        {cell}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </section>
  )
}

interface PlotProps {
  readonly ticks: readonly number[]
  readonly days: readonly string[]
  dayName(day: string): string
  readonly children: ReactNode
}

/** Axes in the page's own type, around a drawing that stretches. */
export function Plot({ ticks, days, dayName, children }: PlotProps) {
  const top = ticks.at(-1) ?? 1
  return (
    <div aria-hidden className="flex gap-2 text-xs text-faint tabular-nums">
      <div className="relative w-7 shrink-0 text-right">
        {ticks.map((tick) => (
          <span key={tick} className="absolute right-0 -translate-y-1/2" style={{ top: `${(1 - tick / top) * 192}px` }}>
            {tick}
          </span>
        ))}
      </div>
      <div className="min-w-0 flex-1">
        <div className="relative h-48">
          {ticks.map((tick) => (
            <span
              key={tick}
              className="absolute inset-x-0 border-t border-line"
              style={{ top: `${(1 - tick / top) * 100}%` }}
            />
          ))}
          {children}
        </div>
        <div className="@container relative mt-1 h-4">
          {spread(days, 5).map(({ item, at }, index, all) => (
            <span
              key={item}
              className={classes(
                "absolute whitespace-nowrap",
                index === 0 ? "" : index === all.length - 1 ? "-translate-x-full" : "-translate-x-1/2",
                // A narrow chart has room for the first, the middle and the last.
                index % 2 === 1 && "@max-md:hidden",
              )}
              style={{ left: `${days.length < 2 ? 0 : (at / (days.length - 1)) * 100}%` }}
            >
              {dayName(item)}
            </span>
          ))}
        </div>
      </div>
    </div>
  )
}
