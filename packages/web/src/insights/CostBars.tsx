import { useFormat, useText } from "../i18n/language.ts"
import { useUsage } from "../sections/Cost.tsx"
import { Nothing } from "../design/index.ts"
import { Chart } from "./Chart.tsx"

interface CostBarsProps {
  readonly projectUuid: string
  readonly by: "idea" | "agent" | "model"
  readonly since: string
}

const MOST = 8

/** Who or what cost how much: by money where it is known, else by tokens. */
export function CostBars({ projectUuid, by, since }: CostBarsProps) {
  const text = useText()
  const format = useFormat()
  const { answer } = useUsage({ by, projectUuid, since })
  const rows = (answer?.rows ?? []).filter(({ totalTokens, costUsd }) => totalTokens > 0 || (costUsd ?? 0) > 0)
  const priced = (answer?.total.costUsd ?? 0) > 0
  const value = (row: { readonly totalTokens: number; readonly costUsd: number | null }) =>
    priced ? (row.costUsd ?? 0) : row.totalTokens
  const money = (costUsd: number | null) => (costUsd === null ? text("insights.costUnknown") : format.money(costUsd))
  const spent = ({ totalTokens, costUsd }: { readonly totalTokens: number; readonly costUsd: number | null }) =>
    [
      text("tasks.tokens", { count: format.number(totalTokens) }),
      ...(totalTokens === 0 && costUsd === null ? [] : [money(costUsd)]),
    ].join(" · ")
  const largest = Math.max(...rows.map(value), 1e-9)
  const named = (name: string, key: string | null) => (key === null ? text("insights.unattributed") : name)
  return (
    <Chart
      title={text(`insights.cost.${by}`)}
      lead={answer === undefined ? "" : spent(answer.total)}
      table={{
        head: [
          text("tasks.title"),
          text("insights.tokensIn"),
          text("insights.tokensOut"),
          text("insights.tokensCached"),
          text("tasks.cost"),
        ],
        rows: rows.map((row) => [
          named(row.name, row.key),
          format.number(row.inputTokens),
          format.number(row.outputTokens),
          format.number(row.cacheReadTokens),
          money(row.costUsd),
        ]),
      }}
    >
      {rows.length === 0 && <Nothing>{text("insights.noCost")}</Nothing>}
      <ul className="grid grid-cols-1 gap-2">
        {rows.slice(0, MOST).map((row) => (
          <li key={row.key ?? ""} className="text-sm">
            <p className="flex gap-3">
              <span className="min-w-0 flex-1 truncate">{named(row.name, row.key)}</span>
              <span className="text-muted tabular-nums">
                {priced ? money(row.costUsd) : format.number(row.totalTokens)}
              </span>
            </p>
            <span aria-hidden className="mt-1 block h-1.5 rounded-full bg-sunken">
              <span
                className="block h-full rounded-full bg-ink opacity-70"
                style={{ width: `${(value(row) / largest) * 100}%` }}
              />
            </span>
          </li>
        ))}
      </ul>
    </Chart>
  )
}
