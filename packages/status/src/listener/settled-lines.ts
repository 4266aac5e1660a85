import type { StatusLine } from "@chorus/contracts"

/** A hook at the end of a turn knows more than the sign that the turn is over; it gets this much of a start. */
const SETTLE_MS = 300

export interface SettledLines {
  /** Passes a line on, one that says "idle" a moment later. */
  pass(line: StatusLine): void
  close(): void
}

/** Lets second sources speak after the first: what they say is stamped with its own time, so nothing is falsified. */
export function settledLines(accept: (line: StatusLine) => void): SettledLines {
  const timers = new Set<NodeJS.Timeout>()
  return {
    pass(line) {
      if (line.event !== "idle") return accept(line)
      const timer = setTimeout(() => {
        timers.delete(timer)
        accept(line)
      }, SETTLE_MS)
      timers.add(timer)
    },
    close: () => timers.forEach((timer) => clearTimeout(timer)),
  }
}
