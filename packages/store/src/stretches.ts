import { setImmediate as nextTurn } from "node:timers/promises"

/** How long one stretch may compute before the next is made shorter, and how short it has to be for a longer one. */
const LONG_MS = 8
const SHORT_MS = 4

let turns: Promise<void> = Promise.resolve()

/** Gives everybody else a turn. Of several who compute in stretches one goes on after each, so that together they take no longer than one. */
export function othersFirst(): Promise<void> {
  turns = turns.then(() => nextTurn())
  return turns
}

/** Runs steps of a computation to its end, and gives others a turn whenever some milliseconds have gone by. */
export async function inTurns<T>(steps: Iterator<unknown, T, undefined>): Promise<T> {
  for (let began = performance.now(); ;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - began < LONG_MS) continue
    await othersFirst()
    began = performance.now()
  }
}

/**
 * Walks down through numbered rows in stretches that take a few milliseconds each, however rare what is looked for is among
 * them, and gives everybody else their turn in between: the embedded store reads on the main thread. Ends when a stretch was
 * the last that is needed. Only what a stretch computes makes the next one shorter: on a machine whose processors others use
 * as well, each takes long, and shorter ones would take as long, one row after the other.
 */
export async function inStretches(
  { from, to = 1, first = 500 }: { readonly from: number; readonly to?: number; readonly first?: number },
  read: (low: number, high: number) => Promise<boolean>,
): Promise<void> {
  let size = first
  for (let high = from; high >= to;) {
    const low = Math.max(to, high - size + 1)
    const [began, computedBefore] = [performance.now(), computed()]
    if (await read(low, high)) return
    const took = computed() - computedBefore
    if (performance.now() - began < SHORT_MS) size *= 2
    if (took > LONG_MS) size = Math.max(1, Math.floor((size * SHORT_MS) / took))
    high = low - 1
    if (high >= to) await othersFirst()
  }
}

/** The milliseconds that this thread was on a processor. */
function computed(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
