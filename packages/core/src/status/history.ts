import type { StatusEvent, StatusLine } from "@chorus/contracts"
import { type TerminalStatus, unknownTerminal } from "./terminal.ts"
import { applyStatusLine } from "./transition.ts"

/** How many lines back a late one may still land in its place; older ones are settled. */
export const HISTORY_LIMIT = 128

/** One terminal's recent lines in their own order, and the status they add up to. */
export interface StatusHistory {
  /** The status before the first of these lines; none while no line was ever settled. */
  readonly settled: TerminalStatus | undefined
  /** Lines stamped before this are settled and come too late. */
  readonly settledAt: number
  readonly lines: readonly StatusLine[]
  readonly status: TerminalStatus
}

/** A terminal heard of for the first time. */
export function beginHistory(line: StatusLine): StatusHistory {
  return {
    settled: undefined,
    settledAt: Number.NEGATIVE_INFINITY,
    lines: [line],
    status: applyStatusLine(unknownTerminal(line), line),
  }
}

/** A terminal picked up from where it was left; what was said before that is settled. */
export function continueHistory(status: TerminalStatus): StatusHistory {
  return { settled: status, settledAt: status.sourceAt, lines: [], status }
}

/**
 * Adds a line where its timestamp puts it. The result depends on the set of lines alone, not on the order or number of
 * times they arrive, as long as none comes more than `HISTORY_LIMIT` lines late.
 */
export function addToHistory(history: StatusHistory, line: StatusLine): StatusHistory {
  if (line.at < history.settledAt) return history
  let position = history.lines.length
  while (position > 0) {
    const earlier = history.lines[position - 1]
    const order = earlier === undefined ? -1 : compareLines(earlier, line)
    if (order === 0) return history
    if (order < 0) break
    position--
  }
  const lines = history.lines.toSpliced(position, 0, line)
  const isNewest = position === history.lines.length
  return settle({
    ...history,
    lines,
    status: isNewest ? applyStatusLine(history.status, line) : fold(history.settled, lines),
  })
}

/** A terminal begins with the first line there is, whichever arrived first. */
function fold(settled: TerminalStatus | undefined, lines: readonly StatusLine[]): TerminalStatus {
  const [first] = lines
  const start = settled ?? (first === undefined ? undefined : unknownTerminal(first))
  if (start === undefined) throw new RangeError("a history has at least one line")
  return lines.reduce(applyStatusLine, start)
}

function settle(history: StatusHistory): StatusHistory {
  const [oldest] = history.lines
  if (history.lines.length <= HISTORY_LIMIT || oldest === undefined) return history
  return { ...history, lines: history.lines.slice(1), settled: fold(history.settled, [oldest]), settledAt: oldest.at }
}

/** At the same instant the more final word counts last: finished wins over running. */
const RANK: Record<StatusEvent, number> = {
  note: 0,
  idle: 1,
  lost: 2,
  running: 3,
  needsInput: 4,
  finished: 5,
  exited: 6,
  seen: 7,
}

/** The one order in which lines are read, whatever order they arrive in. */
export function compareLines(a: StatusLine, b: StatusLine): number {
  if (a.at !== b.at) return a.at - b.at
  if (a.event !== b.event) return RANK[a.event] - RANK[b.event]
  const [keyA, keyB] = [keyOf(a), keyOf(b)]
  if (keyA === keyB) return 0
  return keyA < keyB ? -1 : 1
}

function keyOf(line: StatusLine): string {
  return JSON.stringify(Object.entries(line).sort(([a], [b]) => (a < b ? -1 : 1)))
}
