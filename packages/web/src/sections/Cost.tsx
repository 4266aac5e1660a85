import type { InputOf, usage } from "@chorus/contracts"
import { useFormat, useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"

type Asked = InputOf<typeof usage.getUsage>

export function useUsage(asked: Asked) {
  return useOperation(
    "chorus_get_usage",
    asked,
    reloadWhen(({ entityType, kind }) => entityType === "usage" || kind === "run.changed"),
  )
}

/** What something has cost so far in tokens and, where known, in money: by runs, and by agents that people started. */
export function Cost({ of }: { readonly of: Asked }) {
  const text = useText()
  const format = useFormat()
  const total = useUsage(of).answer?.total
  if (total === undefined || total.totalTokens === 0) return <span className="text-faint">{text("tasks.noCost")}</span>
  return (
    <span
      className="tabular-nums"
      title={text("tasks.tokensSplit", {
        input: format.number(total.inputTokens),
        output: format.number(total.outputTokens),
        cached: format.number(total.cacheReadTokens),
      })}
    >
      {text("tasks.tokens", { count: format.number(total.totalTokens) })}
      {total.costUsd !== null && ` · ${format.money(total.costUsd)}`}
    </span>
  )
}
