import type { StatusAgent, StatusLine } from "@chorus/contracts"
import { type TerminalStatus, unknownTerminal } from "@chorus/core"
import { readJson, replaceFile } from "@chorus/disk"
import { isRecord, readStatusLine } from "../line/index.ts"
import type { TerminalBook, TerminalEntry } from "./terminal-book.ts"

const DEBOUNCE_MS = 500
/** However many terminals open at once, between two copies so much is left for other work. */
const APART_MS = 50
/** What nobody has spoken of for this long is history, not status. */
const FORGET_AFTER_MS = 7 * 24 * 3600_000

export interface Snapshot {
  save(): void
  /** Writes now what is waiting to be written. */
  flush(): void
}

/** Where the listener of a socket keeps its copy. */
export function copyOf(socketPath: string): string {
  return `${socketPath}.json`
}

/**
 * Keeps a copy of the book on disk, so that a listener that starts anew knows what its predecessor knew. Session ids
 * stay out. What a terminal is doing can be asked again after a sudden end; of one that is not in the copy nobody knows.
 */
export function snapshot(path: string, book: TerminalBook): Snapshot {
  let timer: NodeJS.Timeout | undefined
  let kept = new Set<string>()
  let written = 0
  let due = Infinity
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    due = Infinity
    written = Date.now()
    const entries = book.entries()
    kept = new Set(entries.map(processIn))
    try {
      const terminals = entries.map(withoutSession)
      replaceFile(path, JSON.stringify({ version: 1, terminals }), { fleeting: true })
    } catch {
      // A full or read-only disk costs the memory of a restart, not the listener.
    }
  }
  return {
    save() {
      const isNew = !book.entries().every((entry) => kept.has(processIn(entry)))
      const wait = isNew ? Math.max(0, written + APART_MS - Date.now()) : DEBOUNCE_MS
      if (wait === 0) return write()
      if (Date.now() + wait >= due) return
      clearTimeout(timer)
      due = Date.now() + wait
      timer = setTimeout(write, wait)
    },
    flush() {
      if (timer !== undefined) write()
    },
  }
}

function processIn({ status: { terminalId, pid } }: TerminalEntry): string {
  return `${terminalId} ${pid ?? ""}`
}

/** The terminals a former listener knew; nothing when there is no copy or it cannot be read. */
export function readSnapshot(path: string, now: number): TerminalEntry[] {
  const file = readJson(path)
  const terminals = isRecord(file) && Array.isArray(file["terminals"]) ? file["terminals"] : []
  return terminals.flatMap((entry: unknown) => readEntry(entry, now))
}

/** Resuming is off by default, and then no session id is kept on disk; the resume store keeps its own, with consent. */
function withoutSession({ status, heardAt }: TerminalEntry) {
  return { heardAt, status: { ...status, resumeCommand: null, sessionId: null, turnId: null } }
}

function readEntry(entry: unknown, now: number): TerminalEntry[] {
  if (!isRecord(entry) || !isRecord(entry["status"]) || typeof entry["heardAt"] !== "number") return []
  const stored = entry["status"]
  // A status is as trustworthy as the line it could have come from: the same reading makes it safe.
  const line = readStatusLine(
    { ...stored, event: "note", at: stored["sourceAt"], toolDetail: stored["detail"], sessionTitle: stored["title"] },
    now,
  )
  if (line === undefined || now - entry["heardAt"] > FORGET_AFTER_MS) return []
  const state = stateOf(stored["state"]) ?? "unknown"
  const status: TerminalStatus = {
    ...unknownTerminal({ terminalId: line.terminalId, agent: line.agent satisfies StatusAgent, at: line.at }),
    state,
    since: typeof stored["since"] === "number" ? stored["since"] : line.at,
    source: line.source ?? "none",
    title: line.sessionTitle ?? null,
    titleOrigin: line.titleOrigin ?? null,
    detail: line.toolDetail ?? null,
    summary: line.summary ?? null,
    exitCode: line.exitCode ?? null,
    reason: line.reason ?? null,
    pid: line.pid ?? null,
    toolFailed: stored["toolFailed"] === true,
    cutShort: stored["cutShort"] === true,
    ended: stored["ended"] === true,
    tab: line.tab ?? null,
    folder: line.folder ?? null,
    version: line.version ?? null,
    once: line.once === true,
    outside: line.outside === true,
    unread: stored["unread"] === true,
    cameTo: cameToOf(stored["cameTo"], line),
    formerly: formerlyOf(stored["formerly"]),
  }
  // A clock that was set back since would make silence look like fresh news.
  return [{ status, heardAt: Math.min(entry["heardAt"], now) }]
}

function stateOf(name: unknown): TerminalStatus["state"] | undefined {
  return (["running", "idle", "needsInput", "finished", "unknown"] as const).find((one) => one === name)
}

function formerlyOf(stored: unknown): TerminalStatus["formerly"] {
  const state = isRecord(stored) ? stateOf(stored["state"]) : undefined
  if (!isRecord(stored) || state === undefined || typeof stored["since"] !== "number") return null
  return { state, since: stored["since"] }
}

function cameToOf(stored: unknown, { terminalId, agent, at }: StatusLine): TerminalStatus["cameTo"] {
  if (!isRecord(stored) || typeof stored["since"] !== "number") return null
  const { summary, exitCode, reason } = stored
  const line = readStatusLine({ terminalId, agent, event: "note", at, summary, exitCode, reason }, at)
  return {
    since: stored["since"],
    summary: line?.summary ?? null,
    exitCode: line?.exitCode ?? null,
    reason: line?.reason ?? null,
    unread: stored["unread"] === true,
  }
}
