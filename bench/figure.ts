/** One measured number beside the budget that fails the build. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** Left out for a figure that is only shown, such as the physical limit of the same run. */
  readonly budget?: { readonly atMost: number } | { readonly atLeast: number }
}

/** How something grows: one line for each thing measured, over the same sizes. */
export interface Plot {
  readonly name: string
  /** What is written under it. */
  readonly says: string
  readonly across: { readonly label: string; readonly values: readonly number[]; readonly scale: "log" | "linear" }
  readonly up: { readonly label: string; readonly scale: "log" | "linear" }
  readonly lines: readonly { readonly name: string; readonly values: readonly number[] }[]
}

export interface Measured {
  readonly figures: readonly Figure[]
  readonly plots: readonly Plot[]
}

export type Bench = () => Promise<readonly Figure[] | Measured>

export function withinBudget({ value, budget }: Figure): boolean {
  if (budget === undefined) return true
  return "atMost" in budget ? value <= budget.atMost : value >= budget.atLeast
}

/** The budget in words; empty for a figure without one. */
export function limitOf({ budget }: Figure): string {
  if (budget === undefined) return ""
  return "atMost" in budget ? `≤ ${round(budget.atMost)}` : `≥ ${round(budget.atLeast)}`
}

/** As few digits as tell the value. */
export function round(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString("en", { maximumFractionDigits: digits })
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Runs `work` from this many callers at once for a while; gives calls per second. */
export async function rate(
  callers: number,
  milliseconds: number,
  work: (caller: number) => Promise<unknown>,
): Promise<number> {
  const end = performance.now() + milliseconds
  const began = performance.now()
  let calls = 0
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (performance.now() < end) {
        await work(caller)
        calls++
      }
    }),
  )
  return (calls / (performance.now() - began)) * 1000
}
