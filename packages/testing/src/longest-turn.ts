import { setImmediate as nextTurn } from "node:timers/promises"

const TRIES = 3
const YARDSTICK = JSON.stringify(
  Array.from({ length: 60_000 }, (_, n) => ({ id: `row ${n}`, title: `Title ${n}`, at: n })),
)

/**
 * The most that this thread computed without giving others a turn while something was done, as a multiple of a known piece of
 * computing that was done beside it: a busy machine makes both slower. What others compute meanwhile does not count, and of
 * some tries the one that was disturbed least does; after one below the bound there is nothing left to find out.
 */
export async function longestTurn(bound: number, work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < TRIES && least >= bound; n++) {
    const before = yardstick()
    const turn = await longestOf(work)
    least = Math.min(least, turn / Math.max(before, yardstick()))
  }
  return least
}

async function longestOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  let last = computed()
  const done = work().finally(() => (isDone = true))
  do {
    await nextTurn()
    const now = computed()
    longest = Math.max(longest, now - last)
    last = now
  } while (!isDone)
  await done
  return longest
}

/** Reads and writes some JSON, which takes an idle processor some twenty milliseconds. */
function yardstick(): number {
  const began = computed()
  JSON.stringify(JSON.parse(YARDSTICK))
  return computed() - began
}

/** The milliseconds that this thread was on a processor. */
function computed(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
