import { existsSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { StatusAgent, StatusRow } from "@chorus/contracts"
import {
  changeFile,
  livenessOf,
  lockNotes,
  ownIdentity,
  type ProcessIdentity,
  processStart,
  readJson,
  readText,
} from "@chorus/disk"
import { bareName, controllingTerminal, openerOf, openTerminals } from "../launch/terminal-identity.ts"
import { isAgent, isRecord, isTerminalId, readResumeCommand } from "../line/index.ts"
import type { StatusForwarder, TerminalPlace } from "../listener/terminal-book.ts"
import { agentsHere } from "../watch/agents-here.ts"
import { processTable } from "../watch/process-table.ts"

/** Of what closed terminals left in one tab and folder, so many are kept: a tab may have had several panes. */
const LEFT_IN_A_PLACE = 5
/** Whoever closes all that is open, or ends the machine, is not long in ending the terminal program too. */
const CLOSED_MS = 5000

export interface ResumeEntry {
  terminalId: string
  /** What comes back after a restart, when the terminal itself does not. */
  tab: string | null
  folder: string | null
  /** The terminal itself, and who opened it: where only the terminal is gone, a person closed it. */
  pane: Pane | null
  /** Of the agent program that the session was last in. */
  version: string | null
  agent: StatusAgent
  command: string
  title: string | null
  at: number
}

/** Where somebody asks for what was last done. */
export interface ResumePlace {
  terminalId: string
  tab?: string | undefined
  folder: string
}

/**
 * The last session of each terminal, and each session once, where it was last; for agents whose person switched this
 * on. Nothing is kept for the others; switching off deletes what was kept; the switch and the command are checked again
 * at every use.
 */
export interface ResumeStore {
  isOn(agent: StatusAgent): boolean
  /** Its file, where that is there and cannot be read. Nothing is kept until somebody mends it or switches anew. */
  damagedFile(): string | undefined
  /** Begins anew where what was kept cannot be read. */
  turn(agent: StatusAgent, on: boolean): Promise<void>
  record(row: StatusRow, where?: TerminalPlace): Promise<void>
  list(): ResumeEntry[]
  /** Without what was done in panes and tabs that are closed just now, for good or not: that is judged a while later. */
  offered(): Promise<ResumeEntry[]>
  /**
   * This terminal's own; else, newest first, what closed terminals left in this tab and folder, or nothing there, in
   * this tab, or not there either, in this folder.
   */
  find(place: ResumePlace): Promise<ResumeEntry[]>
  /** With this command a session that may be known is brought back here: no other terminal is offered it any more. */
  take(command: string, terminalId: string, tab?: string): Promise<void>
  forget(terminalId: string): Promise<void>
  /**
   * Forgets what was done in panes and tabs that were closed while their terminal program goes on. Not to be asked while
   * it may be ending itself, which it does after its last pane.
   */
  forgetClosed(): Promise<void>
  /** Deletes switches and sessions alike. */
  clear(): void
}

export function stateFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env["XDG_STATE_HOME"] ?? join(env["HOME"] ?? homedir(), ".local", "state"), "chorus")
}

export function resumeStore(folder = stateFolder()): ResumeStore {
  const path = join(folder, "resume.json")
  const change = (make: (file: ResumeFile) => ResumeFile) =>
    changeFile(path, (text) => `${JSON.stringify(make(read(text)), null, 2)}\n`, {
      mode: 0o600,
      notes: lockNotes(folder),
      noTrace: true,
    })
  const stored = () => read(readText(path))
  /** What is left of terminals that nobody sits at any more: the session of an open one is not for its neighbour. */
  const left = async (entries: readonly ResumeEntry[]) => {
    if (entries.length === 0) return []
    const [terminals, agents] = await Promise.all([openTerminals(), agentsHere(processTable())])
    // Of a name that somebody gave, only the agent that goes by it says whether its terminal is open.
    const isOpen = (id: string) =>
      terminals.some((name) => id.endsWith(name)) || agents.some((agent) => agent.terminalId === id)
    return entries.filter(({ terminalId }) => !isOpen(terminalId))
  }
  const put = async (entry: ResumeEntry) => {
    const crowd = stored().sessions.filter((other) => isSamePlace(other, entry))
    const old = crowd.length < LEFT_IN_A_PLACE ? [] : (await left(crowd)).slice(0, 1 - LEFT_IN_A_PLACE)
    const isOld = new Set(old.map(({ terminalId }) => terminalId))
    await change(({ on, sessions }) => {
      if (!on.includes(entry.agent)) return { on, sessions }
      const isSame = (other: ResumeEntry) => other.command === entry.command
      const others = sessions.filter(
        (other) => !isSame(other) && other.terminalId !== entry.terminalId && !isOld.has(other.terminalId),
      )
      return { on, sessions: [...others, { ...entry, title: entry.title ?? sessions.find(isSame)?.title ?? null }] }
    })
  }
  const store: ResumeStore = {
    isOn: (agent) => stored().on.includes(agent),
    damagedFile: () => (existsSync(path) && !isRecord(readJson(path)) ? path : undefined),
    turn: (agent, on) =>
      change((file) => {
        const others = file.on.filter((name) => name !== agent)
        if (on) return { on: [...others, agent], sessions: file.sessions }
        return { on: others, sessions: file.sessions.filter((entry) => entry.agent !== agent) }
      }),
    async record({ terminalId, agent, resumeCommand: command, title, since: at }, where = NOWHERE) {
      const { once, ...place } = where
      if (command === null || once || readResumeCommand(agent, command) === undefined || !store.isOn(agent)) return
      const { pid, ...rest } = place
      await put({ terminalId, ...rest, pane: pid === null ? null : paneOf(pid), agent, command, title, at })
    },
    list() {
      const { on, sessions } = stored()
      return sessions.filter((entry) => on.includes(entry.agent))
    },
    async offered() {
      const known = store.list()
      const open = new Set(known.length === 0 ? [] : await openTerminals())
      return known.filter(({ pane }) => !isClosed(pane, open))
    },
    async find({ terminalId, tab = null, folder }) {
      const known = (await store.offered()).toReversed()
      const own = known.filter((entry) => entry.terminalId === terminalId)
      if (own.length > 0) return own
      const unused = await left(known)
      const inTab = unused.filter((entry) => tab !== null && entry.tab === tab)
      const inFolder = unused.filter((entry) => entry.folder === folder)
      const inBoth = inFolder.filter((entry) => entry.tab === tab)
      return [inBoth, inTab, inFolder].find((some) => some.length > 0) ?? []
    },
    async take(command, terminalId, tab) {
      const entry = store.list().find((known) => known.command === command)
      if (entry !== undefined) await put({ ...entry, terminalId, tab: tab ?? null, pane: paneOf(process.pid) })
    },
    async forget(terminalId) {
      if (!stored().sessions.some((entry) => entry.terminalId === terminalId)) return
      await change(({ on, sessions }) => ({
        on,
        sessions: sessions.filter((other) => other.terminalId !== terminalId),
      }))
    },
    async forgetClosed() {
      if (stored().sessions.length === 0) return
      const open = new Set(await openTerminals())
      await change((file) => ({ on: file.on, sessions: file.sessions.filter(({ pane }) => !isClosed(pane, open)) }))
    },
    clear: () => rmSync(path, { force: true }),
  }
  return store
}

/** Keeps the store up to date from the listener's changes. A disk that is full costs the memory, not the listener. */
export function resumeForwarder(store: ResumeStore): StatusForwarder {
  const forgetSoon = () => setTimeout(() => void store.forgetClosed().catch(() => {}), CLOSED_MS).unref()
  // What was closed while nobody listened.
  forgetSoon()
  return {
    changed(row, before, where) {
      if (row.resumeCommand === null) return
      if (row.ended && before?.ended === false) forgetSoon()
      const isNew = row.resumeCommand !== before?.resumeCommand || row.title !== before.title
      // With each turn again: to remember may have been asked for since the last.
      const begins = row.state === "running" && before?.state !== "running" && before?.state !== "needsInput"
      if (!isNew && !begins) return
      store.record(row, where).catch(() => {})
    },
  }
}

const NOWHERE: TerminalPlace = { tab: null, folder: null, version: null, once: false, pid: null }

/** A tab and its folder come back in another terminal after each restart. */
function isSamePlace(one: ResumeEntry, other: ResumeEntry): boolean {
  return one.folder !== null && one.folder === other.folder && one.tab === other.tab
}

interface Pane {
  terminal: string
  opener: ProcessIdentity
}

function paneOf(pid: number): Pane | null {
  const [terminal, opener] = [bareName(controllingTerminal(pid)), openerOf(pid)]
  if (terminal === undefined || opener === undefined) return null
  const { pidSpace } = ownIdentity()
  return { terminal, opener: { pid: opener, pidSpace, procStart: processStart(opener) ?? "" } }
}

/** With its terminal program, its server or the machine a terminal ends unasked. */
function isClosed(pane: Pane | null, open: ReadonlySet<string>): boolean {
  return pane !== null && !open.has(pane.terminal) && livenessOf(pane.opener) === "alive"
}

interface ResumeFile {
  on: StatusAgent[]
  sessions: ResumeEntry[]
}

function read(text: string | undefined): ResumeFile {
  const file = parsed(text ?? "")
  if (!isRecord(file)) return { on: [], sessions: [] }
  return {
    on: Array.isArray(file["on"]) ? file["on"].filter(isAgent) : [],
    sessions: Array.isArray(file["sessions"]) ? file["sessions"].flatMap(readEntry) : [],
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readEntry(value: unknown): ResumeEntry[] {
  if (!isRecord(value)) return []
  const { terminalId, agent, command, title = null, at, tab = null, folder = null, version = null } = value
  if (!isTerminalId(terminalId) || !isAgent(agent) || typeof at !== "number") return []
  if (typeof command !== "string" || readResumeCommand(agent, command) === undefined) return []
  if (!isTextOrNull(title) || !isTextOrNull(tab) || !isTextOrNull(folder) || !isTextOrNull(version)) return []
  return [{ terminalId, tab, folder, pane: readPane(value["pane"]), version, agent, command, title, at }]
}

function readPane(value: unknown): Pane | null {
  if (!isRecord(value) || !isRecord(value["opener"]) || typeof value["terminal"] !== "string") return null
  const { pid, pidSpace, procStart } = value["opener"]
  if (typeof pid !== "number" || typeof pidSpace !== "string" || typeof procStart !== "string") return null
  return { terminal: value["terminal"], opener: { pid, pidSpace, procStart } }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string"
}
