/** One measured number beside the budget that fails the build. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** Left out for a figure that is only shown, such as the physical limit of the same run. */
  readonly budget?: { readonly atMost: number } | { readonly atLeast: number }
}

export type Bench = () => Promise<readonly Figure[]>

export function withinBudget({ value, budget }: Figure): boolean {
  if (budget === undefined) return true
  return "atMost" in budget ? value <= budget.atMost : value >= budget.atLeast
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Runs `work` from this many callers at once for a while; gives calls per second. */
export async function rate(callers: number, milliseconds: number, work: (caller: number) => Promise<unknown>): Promise<number> {
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
