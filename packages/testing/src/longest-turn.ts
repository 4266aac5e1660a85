import { setImmediate as nextTurn } from "node:timers/promises"

/** The most milliseconds that this thread computed without giving others a turn, while something was done. What others compute meanwhile does not count. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const computed = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
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
