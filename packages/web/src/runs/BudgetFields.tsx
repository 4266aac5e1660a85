import type { runPolicy } from "@chorus/contracts"
import { useState } from "react"
import { Field, Input } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { MEASURES } from "./Spend.tsx"

type Typed = Partial<Record<(typeof MEASURES)[number], string>>

/** The limits of one run as somebody types them; `budget` is undefined while none is there. */
export function useBudget(first: runPolicy.RunBudget) {
  const [typed, setTyped] = useState<Typed>(() =>
    Object.fromEntries(Object.entries(first).map(([measure, limit]) => [measure, String(limit)])),
  )
  const limits = MEASURES.flatMap((measure) => {
    const words = typed[measure]?.trim() ?? ""
    return words === "" || Number.isNaN(Number(words)) ? [] : [[measure, Number(words)] as const]
  })
  const budget: runPolicy.RunBudget | undefined = limits.length === 0 ? undefined : Object.fromEntries(limits)
  return { typed, budget, set: (change: Typed) => setTyped((before) => ({ ...before, ...change })) }
}

export function BudgetFields({ typed, set }: Pick<ReturnType<typeof useBudget>, "typed" | "set">) {
  const text = useText()
  return (
    <fieldset className="grid grid-cols-2 gap-4">
      <legend className="pb-2 text-sm text-muted">{text("runs.budgetOwn")}</legend>
      {MEASURES.map((measure) => (
        <Field key={measure} label={text(`runs.measure.${measure}`)}>
          {(field) => (
            <Input
              {...field}
              inputMode="decimal"
              value={typed[measure] ?? ""}
              onChange={(event) => set({ [measure]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </fieldset>
  )
}
