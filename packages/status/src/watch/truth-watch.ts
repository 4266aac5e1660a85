import type { StatusLine } from "@chorus/contracts"
import { isNewFailure, type TerminalStatus } from "@chorus/core"
import type { TerminalBook, TerminalEntry } from "../listener/terminal-book.ts"
import { answeredByWork } from "./work-below.ts"
import { type ProcessMark, type ProcessTable, processTable } from "./process-table.ts"

/** The promises about how long a false state can last. */
export interface TruthLimits {
  /** A process that is gone is noticed within this time. */
  tickMs: number
  /** A running agent whose process nobody knows may be silent for this long. */
  silenceMs: number
  /** A running agent whose process is alive may be silent for this long: one command or one answer can take its time. */
  liveSilenceMs: number
  /** A session that has ended is off the list after this time; one that failed not before it was seen. */
  endedMs: number
  /** A clock that jumps further than this between two ticks means that the machine slept. */
  sleepMs: number
}

export const TRUTH_LIMITS: TruthLimits = {
  tickMs: 2000,
  silenceMs: 10 * 60_000,
  liveSilenceMs: 30 * 60_000,
  endedMs: 10 * 60_000,
  sleepMs: 30_000,
}

export interface TruthWatch {
  /** Looks once; the timer does it by itself. */
  tick(): Promise<void>
  close(): void
}

export interface TruthWatchOptions {
  book: TerminalBook
  accept: (line: StatusLine) => void
  limits?: Partial<TruthLimits>
  now?: () => number
  processes?: ProcessTable
}

/** Takes "running" away from agents that are dead, asleep or silent, and says why. */
export function truthWatch(options: TruthWatchOptions): TruthWatch {
  const limits = { ...TRUTH_LIMITS, ...options.limits }
  const now = options.now ?? Date.now
  const processes = options.processes ?? processTable()
  const marks = new Map<number, ProcessMark>()
  let lastTick = now()
  let ticking = false

  async function tick(): Promise<void> {
    if (ticking) return
    ticking = true
    try {
      const [from, to] = [lastTick, now()]
      lastTick = to
      const entries = options.book.entries()
      const known = new Set(entries.flatMap(({ status }) => (status.pid === null ? [] : [status.pid])))
      const alive = await processes.read([...known])
      for (const pid of marks.keys()) if (!known.has(pid)) marks.delete(pid)
      const living = new Set([...alive].flatMap(([pid, mark]) => (isSame(pid, mark) ? [pid] : [])))
      const slept = to - from > limits.tickMs + limits.sleepMs ? { from, to } : undefined
      const last = lastRuns(entries)
      for (const entry of entries) {
        if (isOver(entry, to, last)) options.book.forget(entry.status.terminalId)
        const line = verdict(entry, { living, slept, now: to, limits })
        if (line !== undefined) options.accept(line)
      }
      for (const line of await answeredByWork(entries, processes)) options.accept(line)
    } finally {
      ticking = false
    }
  }

  function isOver({ status }: TerminalEntry, at: number, last: ReadonlyMap<string, number>): boolean {
    if (!status.ended || isNewFailure(status)) return false
    return at - status.sourceAt > limits.endedMs || (status.once && status.sourceAt < (last.get(kindOf(status)) ?? 0))
  }

  function isSame(pid: number, mark: ProcessMark): boolean {
    const first = marks.get(pid)
    if (first === undefined) marks.set(pid, mark)
    return first === undefined || first === mark
  }

  const timer = setInterval(() => void tick(), limits.tickMs)
  return { tick, close: () => clearInterval(timer) }
}

/** A script may run an agent a hundred times a minute; where nobody comes back to them, the last one of a folder is shown. */
function lastRuns(entries: readonly TerminalEntry[]): Map<string, number> {
  const last = new Map<string, number>()
  for (const { status } of entries)
    if (status.ended && status.once) last.set(kindOf(status), Math.max(status.sourceAt, last.get(kindOf(status)) ?? 0))
  return last
}

function kindOf({ agent, folder }: TerminalStatus): string {
  return `${agent} ${folder}`
}

interface Facts {
  living: ReadonlySet<number>
  slept: { from: number; to: number } | undefined
  now: number
  limits: TruthLimits
}

/** What must be said about a terminal that said nothing itself; nothing while its state can be believed. */
export function verdict({ status, heardAt }: TerminalEntry, facts: Facts): StatusLine | undefined {
  const say = (event: "exited" | "lost", source: string, reason: string): StatusLine => ({
    terminalId: status.terminalId,
    agent: status.agent,
    // Never before what it contradicts, whatever clock that was stamped by.
    at: Math.max(facts.now, status.sourceAt),
    event,
    source: `watch:${source}`,
    reason,
  })
  if (status.pid !== null && !facts.living.has(status.pid))
    return say("exited", "process", `process ${status.pid} is gone and did not say goodbye`)
  if (status.state !== "running") return undefined
  if (facts.slept !== undefined && heardAt <= facts.slept.to) {
    return say(
      "lost",
      "sleep",
      `this machine slept for ${duration(facts.slept.to - facts.slept.from)}; nothing was heard since`,
    )
  }
  const limit = status.pid === null ? facts.limits.silenceMs : facts.limits.liveSilenceMs
  if (facts.now - heardAt < limit) return undefined
  return say("lost", "silence", `nothing was heard for ${duration(facts.now - heardAt)}${processNote(status)}`)
}

function processNote(status: TerminalStatus): string {
  return status.pid === null ? "" : `; process ${status.pid} is alive`
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return `${Math.round(ms / 1000)} s`
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
