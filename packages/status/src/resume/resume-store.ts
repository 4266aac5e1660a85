import { rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { StatusAgent, StatusRow } from "@chorus/contracts"
import { changeFile, lockNotes, readText } from "@chorus/disk"
import { openTerminals } from "../launch/terminal-identity.ts"
import { isAgent, isRecord, isTerminalId, readResumeCommand } from "../line/index.ts"
import type { StatusForwarder, TerminalPlace } from "../listener/terminal-book.ts"

export interface ResumeEntry {
  terminalId: string
  /** What the terminal program calls the tab; it may come back after a restart, when the terminal itself does not. */
  tab: string | null
  folder: string | null
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
 * The last session of each terminal, for agents whose person switched this on. Nothing is kept for the others;
 * switching off deletes what was kept; the switch and the command are checked again at every use.
 */
export interface ResumeStore {
  isOn(agent: StatusAgent): boolean
  turn(agent: StatusAgent, on: boolean): Promise<void>
  record(row: StatusRow, where?: TerminalPlace): Promise<void>
  list(): ResumeEntry[]
  /**
   * This terminal's, or of those that are closed the one of a tab of the same name, in this folder first; where tabs
   * have no names, the newest of the folder.
   */
  find(place: ResumePlace): Promise<ResumeEntry | undefined>
  forget(terminalId: string): Promise<void>
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
  /**
   * What of these is left of terminals that nobody sits at any more: the session of an open one is not for its
   * neighbour.
   */
  const closed = async (isMeant: (entry: ResumeEntry) => boolean) => {
    const open = stored().sessions.some(isMeant) ? await openTerminals() : []
    return (entry: ResumeEntry) => isMeant(entry) && !open.some((name) => entry.terminalId.endsWith(name))
  }
  const store: ResumeStore = {
    isOn: (agent) => stored().on.includes(agent),
    turn: (agent, on) =>
      change((file) => {
        const others = file.on.filter((name) => name !== agent)
        if (on) return { on: [...others, agent], sessions: file.sessions }
        return { on: others, sessions: file.sessions.filter((entry) => entry.agent !== agent) }
      }),
    async record({ terminalId, agent, resumeCommand: command, title, since: at }, where = NOWHERE) {
      if (command === null || readResumeCommand(agent, command) === undefined || !store.isOn(agent)) return
      const entry = { terminalId, ...where, agent, command, title, at }
      const isReplaced = await closed((other) => isSamePlace(other, entry))
      await change(({ on, sessions }) => {
        if (!on.includes(agent)) return { on, sessions }
        const others = sessions.filter((other) => other.terminalId !== terminalId && !isReplaced(other))
        return { on, sessions: [...others, entry] }
      })
    },
    list() {
      const { on, sessions } = stored()
      return sessions.filter((entry) => on.includes(entry.agent))
    },
    async find({ terminalId, tab = null, folder }) {
      const known = store.list().toReversed()
      const own = known.find((entry) => entry.terminalId === terminalId)
      if (own !== undefined) return own
      const left = known.filter(await closed((entry) => entry.tab === tab))
      return left.find((entry) => entry.folder === folder) ?? (tab === null ? undefined : left[0])
    },
    async forget(terminalId) {
      if (!stored().sessions.some((entry) => entry.terminalId === terminalId)) return
      await change(({ on, sessions }) => ({
        on,
        sessions: sessions.filter((other) => other.terminalId !== terminalId),
      }))
    },
    clear: () => rmSync(path, { force: true }),
  }
  return store
}

/** Keeps the store up to date from the listener's changes. A disk that is full costs the memory, not the listener. */
export function resumeForwarder(store: ResumeStore): StatusForwarder {
  return {
    changed(row, before, where) {
      if (row.resumeCommand === null) return
      const isNew = row.resumeCommand !== before?.resumeCommand || row.title !== before.title
      // With each turn again: to remember may have been asked for since the last.
      const begins = row.state === "running" && before?.state !== "running" && before?.state !== "needsInput"
      if (!isNew && !begins) return
      store.record(row, where).catch(() => {})
    },
  }
}

const NOWHERE: TerminalPlace = { tab: null, folder: null, version: null }

/** A tab and its folder come back in another terminal after each restart. */
function isSamePlace(one: ResumeEntry, other: ResumeEntry): boolean {
  return one.folder !== null && one.folder === other.folder && one.tab === other.tab
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
  return [{ terminalId, tab, folder, version, agent, command, title, at }]
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string"
}
