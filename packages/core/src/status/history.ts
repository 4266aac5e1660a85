import type { StatusEvent, StatusLine } from "@chorus/contracts"
import { type TerminalStatus, unknownTerminal } from "./terminal.ts"
import { applyStatusLine } from "./transition.ts"

/** How many lines back a late one may still land in its place; older ones are settled. */
export const HISTORY_LIMIT = 128

interface Entry {
  readonly line: StatusLine
  /** The status before this line. */
  readonly before: TerminalStatus
}

/** One terminal's recent lines in their own order, and the status they add up to. */
export interface StatusHistory {
  readonly entries: readonly Entry[]
  readonly status: TerminalStatus
  /** Lines stamped before this are settled and come too late. */
  readonly settledAt: number
}

/** A terminal heard of for the first time. */
export function beginHistory(line: StatusLine): StatusHistory {
  return addToHistory({ entries: [], status: unknownTerminal(line), settledAt: Number.NEGATIVE_INFINITY }, line)
}

/** A terminal picked up from where it was left; what was said before that is settled. */
export function continueHistory(status: TerminalStatus): StatusHistory {
  return { entries: [], status, settledAt: status.sourceAt }
}

/**
 * Adds a line where its timestamp puts it. The result depends on the set of lines alone, not on the order or number of
 * times they arrive, as long as none comes more than `HISTORY_LIMIT` lines late.
 */
export function addToHistory(history: StatusHistory, line: StatusLine): StatusHistory {
  if (line.at < history.settledAt) return history
  let position = history.entries.length
  while (position > 0) {
    const entry = history.entries[position - 1]
    const order = entry === undefined ? -1 : compareLines(entry.line, line)
    if (order === 0) return history
    if (order < 0) break
    position--
  }
  const tail = history.entries.slice(position)
  const redone = refold(statusBefore(history, position, line), [line, ...tail.map((entry) => entry.line)])
  return settle({ entries: [...history.entries.slice(0, position), ...redone.entries], status: redone.status, settledAt: history.settledAt })
}

/** A line that turns out to be the first ever heard is where the terminal begins. */
function statusBefore(history: StatusHistory, position: number, line: StatusLine): TerminalStatus {
  const isFirstEver = position === 0 && history.settledAt === Number.NEGATIVE_INFINITY
  return isFirstEver ? unknownTerminal(line) : (history.entries[position]?.before ?? history.status)
}

function refold(start: TerminalStatus, lines: readonly StatusLine[]) {
  const entries: Entry[] = []
  let status = start
  for (const line of lines) {
    entries.push({ line, before: status })
    status = applyStatusLine(status, line)
  }
  return { entries, status }
}

function settle(history: StatusHistory): StatusHistory {
  const [oldest, ...rest] = history.entries
  if (history.entries.length <= HISTORY_LIMIT || oldest === undefined) return history
  return { entries: rest, status: history.status, settledAt: oldest.line.at }
}

/** At the same instant the more final word counts last: finished wins over running. */
const RANK: Record<StatusEvent, number> = { note: 0, idle: 1, lost: 2, running: 3, needsInput: 4, finished: 5, exited: 6 }

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
