import type { InputOf, OutputOf, runPolicy } from "@chorus/contracts"
import { useFormat, useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"

export const MEASURES = ["usd", "tokens", "turns", "minutes"] as const
/** Not with every word of an agent: what it used is told when a turn is over. */
const followSpend = reloadWhen<OutputOf<typeof runPolicy.getRunSpend>>(({ kind }) => kind === "run.changed")

export function useSpend(of: InputOf<typeof runPolicy.getRunSpend>) {
  return useOperation("chorus_get_run_spend", of, followSpend).answer
}

/** What was used. Programs that do not tell what they cost add nothing; no money told is no price of nothing. */
export function spent({ usd = 0, ...used }: runPolicy.RunBudget): runPolicy.RunBudget {
  return usd === 0 ? used : { usd, ...used }
}

/** Amounts in the measures of a budget, those that are there. */
export function Amounts({ of, none }: { readonly of: runPolicy.RunBudget; readonly none?: string }) {
  const text = useText()
  const format = useFormat()
  const shown = MEASURES.flatMap((measure) => {
    const amount = of[measure]
    if (amount === undefined) return []
    const value = measure === "usd" ? amount.toFixed(2) : format.number(Math.round(amount * 10) / 10)
    return [text(`runs.amount.${measure}`, { value })]
  })
  return <span>{shown.length === 0 ? none : shown.join(" · ")}</span>
}
