import type { RunnerPolicy } from "@chorus/contracts"
import { memoryOf, RUN_MARK } from "./processes.ts"

const WATCH_MS = 5000
const MEGABYTE = 1024 * 1024

export interface Guard {
  /** Counts what the program said. */
  heard(bytes: number): void
  end(): void
}

/**
 * Watches the machine's own limits for one run, and says once which of them it broke. While it waits for a person, time
 * is not its own.
 */
export function openGuard(
  policy: RunnerPolicy,
  runUuid: string,
  onBroken: (reason: string) => void,
  isWaiting: () => boolean = () => false,
): Guard {
  let looked = Date.now()
  let atWork = 0
  let bytes = 0
  const watch = setInterval(look, WATCH_MS)

  function look(): void {
    const megabytes = memoryOf(RUN_MARK, runUuid)
    const now = Date.now()
    if (!isWaiting()) atWork += now - looked
    looked = now
    if (atWork / 60_000 > policy.minutes)
      broken(`It ran longer than the ${policy.minutes} minutes this machine allows.`)
    else if (megabytes > policy.megabytes)
      broken(`It took ${megabytes} MB of memory; this machine allows ${policy.megabytes}.`)
  }

  function broken(reason: string): void {
    clearInterval(watch)
    onBroken(reason)
  }

  return {
    heard(more) {
      const limit = policy.outputMegabytes * MEGABYTE
      if (bytes <= limit && bytes + more > limit)
        broken(`It said more than the ${policy.outputMegabytes} MB this machine allows.`)
      bytes += more
    },
    end: () => clearInterval(watch),
  }
}
