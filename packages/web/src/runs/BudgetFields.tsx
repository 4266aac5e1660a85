import type { runPolicy } from "@chorus/contracts"
import { useState } from "react"
import { Field, Input } from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { MEASURES } from "./Spend.tsx"

type Measure = (typeof MEASURES)[number]
type Typed = Partial<Record<Measure, string>>

const WHOLE: readonly Measure[] = ["tokens", "turns"]

export interface TypedBudget {
  readonly typed: Typed
  /** Undefined while no limit is there. */
  readonly budget: runPolicy.RunBudget | undefined
  /** Whether all that was typed are limits: what is none must not pass for no limit. */
  readonly fits: boolean
  set(change: Typed): void
}

/** The limits of one run as somebody types them. */
export function useBudget(first: runPolicy.RunBudget): TypedBudget {
  const [typed, setTyped] = useState<Typed>(() =>
    Object.fromEntries(Object.entries(first).map(([measure, limit]) => [measure, String(limit)])),
  )
  const limits = MEASURES.flatMap((measure) => {
    const limit = limitIn(typed, measure)
    return limit === undefined ? [] : [[measure, limit] as const]
  })
  return {
    typed,
    budget: limits.length === 0 ? undefined : Object.fromEntries(limits),
    fits: limits.every(([measure, limit]) => isLimit(measure, limit)),
    set: (change) => setTyped((before) => ({ ...before, ...change })),
  }
}

export function BudgetFields({ typed, set }: TypedBudget) {
  const text = useText()
  return (
    <fieldset className="grid grid-cols-2 gap-4">
      <legend className="pb-2 text-sm text-muted">{text("runs.budgetOwn")}</legend>
      {MEASURES.map((measure) => {
        const limit = limitIn(typed, measure)
        const fault = WHOLE.includes(measure) ? "runs.notWhole" : "runs.notANumber"
        const error = limit === undefined || isLimit(measure, limit) ? undefined : text(fault)
        return (
          <Field key={measure} label={text(`runs.measure.${measure}`)} error={error}>
            {(field) => (
              <Input
                {...field}
                inputMode="decimal"
                value={typed[measure] ?? ""}
                onChange={(event) => set({ [measure]: event.target.value })}
              />
            )}
          </Field>
        )
      })}
    </fieldset>
  )
}

/** The same where only few want it. */
export function FoldedBudget({ named, ...limits }: TypedBudget & { readonly named: TextKey }) {
  const text = useText()
  return (
    <details>
      <summary className="cursor-pointer text-sm text-muted">{text(named)}</summary>
      <div className="pt-3">
        <BudgetFields {...limits} />
      </div>
    </details>
  )
}

function limitIn(typed: Typed, measure: Measure): number | undefined {
  const words = typed[measure]?.trim() ?? ""
  return words === "" ? undefined : Number(words)
}

function isLimit(measure: Measure, limit: number): boolean {
  return Number.isFinite(limit) && limit >= 0 && (Number.isInteger(limit) || !WHOLE.includes(measure))
}
