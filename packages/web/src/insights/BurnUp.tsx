import type { insights, OutputOf } from "@chorus/contracts"
import { useState } from "react"
import { Segmented } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { Chart, Plot } from "./Chart.tsx"
import { lineOf, stacked, ticks } from "./chart.ts"
import { useDayName } from "./use-day-name.ts"

type Unit = "tasks" | "points"

/** How much there is to do and how much is done, day by day: the two lines meet at the end of the work. */
export function BurnUp({ burnUp }: { readonly burnUp: OutputOf<typeof insights.getFlow>["burnUp"] }) {
  const text = useText()
  const format = useFormat()
  const dayName = useDayName()
  const [unit, setUnit] = useState<Unit>("tasks")
  const rows = burnUp.map((row) =>
    unit === "tasks"
      ? { day: row.day, scope: row.scope, done: row.done }
      : { day: row.day, scope: row.scopePoints, done: row.donePoints },
  )
  const scale = ticks(Math.max(...rows.map(({ scope }) => scope), 0))
  const top = scale.at(-1) ?? 1
  const last = rows.at(-1)
  return (
    <Chart
      title={text("insights.burnUp")}
      lead={text("insights.burnUpLead", {
        done: format.number(last?.done ?? 0),
        scope: format.number(last?.scope ?? 0),
      })}
      actions={
        <Segmented<Unit>
          label={text("insights.unit")}
          value={unit}
          onChange={setUnit}
          options={[
            { value: "tasks", label: text("insights.unit.tasks") },
            { value: "points", label: text("insights.unit.points") },
          ]}
        />
      }
      table={{
        head: [text("insights.day"), text("insights.scope"), text("insights.done")],
        rows: rows.map(({ day, scope, done }) => [dayName(day), format.number(scope), format.number(done)]),
      }}
    >
      <Plot ticks={scale} days={rows.map(({ day }) => day)} dayName={dayName}>
        <svg viewBox="0 0 1 1" preserveAspectRatio="none" className="absolute inset-0 size-full">
          {stacked(rows, ["done"], top).map(({ key, path }) => (
            <path key={key} d={path} fill="var(--done)" fillOpacity="0.18" />
          ))}
          <path
            d={lineOf(
              rows.map(({ done }) => done),
              top,
            )}
            fill="none"
            stroke="var(--done)"
            strokeWidth="2"
            vectorEffect="non-scaling-stroke"
          />
          <path
            d={lineOf(
              rows.map(({ scope }) => scope),
              top,
            )}
            fill="none"
            stroke="var(--todo)"
            strokeWidth="2"
            strokeDasharray="5 4"
            vectorEffect="non-scaling-stroke"
          />
        </svg>
      </Plot>
      <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        <li className="flex items-center gap-1.5">
          <span aria-hidden className="h-0.5 w-4 bg-done" />
          {text("insights.done")}
        </li>
        <li className="flex items-center gap-1.5">
          <span aria-hidden className="w-4 border-t-2 border-dashed border-todo" />
          {text("insights.scope")}
        </li>
      </ul>
    </Chart>
  )
}
