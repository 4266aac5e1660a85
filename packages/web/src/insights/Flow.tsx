import type { insights, OutputOf, tasks } from "@chorus/contracts"
import { useMemo } from "react"
import { useFormat, useText } from "../i18n/language.ts"
import { Chart, Plot } from "./Chart.tsx"
import { stacked, ticks } from "./chart.ts"
import { useDayName } from "./use-day-name.ts"

type FlowAnswer = OutputOf<typeof insights.getFlow>

/** From the bottom: what is over, then what comes nearer to it. */
const LAYERS = ["done", "to_verify", "in_progress", "open"] as const satisfies readonly tasks.TaskStatus[]
/** As the board calls them: what is assigned and not begun stands under the first. */
const LABEL = {
  done: "board.done",
  to_verify: "board.toVerify",
  in_progress: "board.inProgress",
  open: "board.open",
} as const
const FILL: Record<(typeof LAYERS)[number], string> = {
  done: "var(--done)",
  to_verify: "var(--waiting)",
  in_progress: "var(--progress)",
  open: "var(--line-strong)",
}

export function CumulativeFlow({ flow }: { readonly flow: FlowAnswer }) {
  const text = useText()
  const dayName = useDayName()
  const rows = useMemo(
    () =>
      flow.cumulativeFlow.map(({ counts }) => ({
        done: counts["done"] ?? 0,
        to_verify: counts["to_verify"] ?? 0,
        in_progress: counts["in_progress"] ?? 0,
        open: (counts["open"] ?? 0) + (counts["assigned"] ?? 0),
      })),
    [flow],
  )
  const scale = ticks(Math.max(...rows.map((row) => LAYERS.reduce((sum, key) => sum + row[key], 0)), 0))
  const days = flow.cumulativeFlow.map(({ day }) => day)
  return (
    <Chart
      title={text("insights.flow")}
      lead={text("insights.flowLead")}
      table={{
        head: [text("insights.day"), ...LAYERS.map((key) => text(LABEL[key]))],
        rows: rows.map((row, at) => [dayName(days[at] ?? ""), ...LAYERS.map((key) => String(row[key]))]),
      }}
    >
      <Plot ticks={scale} days={days} dayName={dayName}>
        <svg viewBox="0 0 1 1" preserveAspectRatio="none" className="absolute inset-0 size-full">
          {stacked(rows, LAYERS, scale.at(-1) ?? 1).map(({ key, path }) => (
            <path key={key} d={path} fill={FILL[key]} fillOpacity="0.85" />
          ))}
        </svg>
      </Plot>
      <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {LAYERS.map((key) => (
          <li key={key} className="flex items-center gap-1.5">
            <span aria-hidden className="size-2.5 rounded-sm" style={{ background: FILL[key] }} />
            {text(LABEL[key])}
          </li>
        ))}
      </ul>
    </Chart>
  )
}

export function Throughput({ flow }: { readonly flow: FlowAnswer }) {
  const text = useText()
  const dayName = useDayName()
  const scale = ticks(Math.max(...flow.throughput.map((row) => row.tasks), 0))
  const top = scale.at(-1) ?? 1
  const total = flow.throughput.reduce((sum, row) => sum + row.tasks, 0)
  return (
    <Chart
      title={text("insights.throughput")}
      lead={text("insights.throughputLead", { count: total })}
      table={{
        head: [text("insights.day"), text("ideas.tasks"), text("tasks.points")],
        rows: flow.throughput.map((row) => [dayName(row.day), String(row.tasks), String(row.points)]),
      }}
    >
      <Plot ticks={scale} days={flow.throughput.map(({ day }) => day)} dayName={dayName}>
        <div className="absolute inset-0 flex items-end gap-px">
          {flow.throughput.map((row) => (
            <span
              key={row.day}
              title={`${dayName(row.day)}: ${row.tasks}`}
              className="min-w-0 flex-1 rounded-t-sm bg-done"
              style={{ height: `${(row.tasks / top) * 100}%` }}
            />
          ))}
        </div>
      </Plot>
    </Chart>
  )
}

export function CycleTime({ flow: { cycleTime } }: { readonly flow: FlowAnswer }) {
  const text = useText()
  const format = useFormat()
  const told = (hours: number | null) => (hours === null ? "–" : format.duration(hours * 3_600_000))
  const facts = [
    [text("insights.median"), told(cycleTime.medianHours)],
    [text("insights.p85"), told(cycleTime.p85Hours)],
    [text("insights.longest"), told(cycleTime.longestHours)],
    [text("insights.finished"), format.number(cycleTime.count)],
  ] as const
  return (
    <section
      aria-label={text("insights.cycleTime")}
      className="rounded-lg border border-line bg-surface p-4 shadow-(--shadow-card)"
    >
      <h2 className="text-sm font-semibold">{text("insights.cycleTime")}</h2>
      <p className="text-xs text-faint">{text("insights.cycleTimeLead")}</p>
      <dl className="mt-3 grid grid-cols-2 gap-4 sm:grid-cols-4">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="text-xl font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
