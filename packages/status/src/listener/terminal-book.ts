import type { StatusLine, StatusRow } from "@chorus/contracts"
import {
  addToHistory,
  beginHistory,
  continueHistory,
  type StatusHistory,
  statusRow,
  type TerminalStatus,
} from "@chorus/core"

/** More terminals than this are not a person's; the one unheard of for longest makes room. */
const MAX_TERMINALS = 2000

/**
 * The tab and the folder that an agent was started in, its process, whether anybody comes back there, and which version it
 * is.
 */
export type TerminalPlace = Pick<TerminalStatus, "tab" | "folder" | "version" | "once" | "pid">

/** Told of every change, in order: the page's feed, notifications, the stored copy. It must not block; what it throws is its own loss. */
export interface StatusForwarder {
  /** Where the terminal is stays on this machine: no view shows it. */
  changed(row: StatusRow, before: StatusRow | undefined, where?: TerminalPlace): void
  removed?(terminalId: string): void
}

export interface TerminalEntry {
  readonly status: TerminalStatus
  /** When anything was last heard, by the listener's own clock. */
  readonly heardAt: number
}

/** The one place where states are kept; every view reads it. */
export interface TerminalBook {
  accept(line: StatusLine, receivedAt: number): void
  restore(entry: TerminalEntry): void
  forget(terminalId: string): void
  get(terminalId: string): TerminalEntry | undefined
  entries(): TerminalEntry[]
  rows(): StatusRow[]
  /** Adds somebody to be told; the result takes them off again. */
  forward(to: StatusForwarder): () => void
}

export function terminalBook(): TerminalBook {
  const terminals = new Map<string, { history: StatusHistory; heardAt: number; shown: string; row: StatusRow }>()
  const forwarders = new Set<StatusForwarder>()

  function put(terminalId: string, history: StatusHistory, heardAt: number): void {
    const before = terminals.get(terminalId)
    const row = statusRow(history.status)
    const shown = JSON.stringify(row)
    // The map's order is by last sign of life, so the first entry is the one to give up.
    terminals.delete(terminalId)
    terminals.set(terminalId, { history, heardAt, shown, row })
    if (before?.shown !== shown) tell((to) => to.changed(row, before?.row, placeOf(history.status)))
    if (terminals.size > MAX_TERMINALS) forget(terminals.keys().next().value ?? "")
  }

  function forget(terminalId: string): void {
    if (!terminals.delete(terminalId)) return
    tell((to) => to.removed?.(terminalId))
  }

  /** A full disk under one of them costs nobody else the news. */
  function tell(say: (to: StatusForwarder) => void): void {
    for (const to of forwarders) {
      try {
        say(to)
      } catch {
        // The next change tells it anew.
      }
    }
  }

  return {
    accept(line, receivedAt) {
      const known = terminals.get(line.terminalId)
      put(line.terminalId, known === undefined ? beginHistory(line) : addToHistory(known.history, line), receivedAt)
    },
    restore: (entry) => put(entry.status.terminalId, continueHistory(entry.status), entry.heardAt),
    forget,
    get(terminalId) {
      const known = terminals.get(terminalId)
      return known === undefined ? undefined : { status: known.history.status, heardAt: known.heardAt }
    },
    entries: () => [...terminals.values()].map(({ history, heardAt }) => ({ status: history.status, heardAt })),
    rows: () => [...terminals.values()].map(({ row }) => row).sort((a, b) => (a.terminalId < b.terminalId ? -1 : 1)),
    forward(to) {
      forwarders.add(to)
      return () => forwarders.delete(to)
    },
  }
}

function placeOf({ tab, folder, version, once, pid }: TerminalStatus): TerminalPlace {
  return { tab, folder, version, once, pid }
}
