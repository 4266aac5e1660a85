import { rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { StatusAgent, StatusRow } from "@chorus/contracts"
import { readJson, replaceFile } from "@chorus/disk"
import { isAgent, isRecord, isTerminalId, readResumeCommand } from "../line/read-line.ts"
import type { StatusForwarder } from "../listener/terminal-book.ts"

export interface ResumeEntry {
  terminalId: string
  agent: StatusAgent
  command: string
  title: string | null
  at: number
}

/**
 * The last session of each terminal, for agents whose person switched this on. Nothing is kept for the others; switching off
 * deletes what was kept; the switch and the command are checked again at every use.
 */
export interface ResumeStore {
  isOn(agent: StatusAgent): boolean
  turn(agent: StatusAgent, on: boolean): void
  record(row: StatusRow): void
  list(): ResumeEntry[]
  find(terminalId: string): ResumeEntry | undefined
  forget(terminalId: string): void
  /** Deletes switches and sessions alike. */
  clear(): void
}

export function stateFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env["XDG_STATE_HOME"] ?? join(env["HOME"] ?? homedir(), ".local", "state"), "chorus")
}

export function resumeStore(folder = stateFolder()): ResumeStore {
  const path = join(folder, "resume.json")
  const store: ResumeStore = {
    isOn: (agent) => read(path).on.includes(agent),
    turn(agent, on) {
      const { on: before, sessions } = read(path)
      const others = before.filter((name) => name !== agent)
      write(path, {
        on: on ? [...others, agent] : others,
        sessions: on ? sessions : sessions.filter((entry) => entry.agent !== agent),
      })
    },
    record(row) {
      if (row.resumeCommand === null || readResumeCommand(row.agent, row.resumeCommand) === undefined) return
      const { on, sessions } = read(path)
      if (!on.includes(row.agent)) return
      const known = sessions.find((entry) => entry.terminalId === row.terminalId)
      if (known?.command === row.resumeCommand && known.title === row.title) return
      const entry = {
        terminalId: row.terminalId,
        agent: row.agent,
        command: row.resumeCommand,
        title: row.title,
        at: row.since,
      }
      write(path, { on, sessions: [...sessions.filter((other) => other.terminalId !== row.terminalId), entry] })
    },
    list() {
      const { on, sessions } = read(path)
      return sessions.filter((entry) => on.includes(entry.agent))
    },
    find: (terminalId) => store.list().find((entry) => entry.terminalId === terminalId),
    forget(terminalId) {
      const { on, sessions } = read(path)
      write(path, { on, sessions: sessions.filter((entry) => entry.terminalId !== terminalId) })
    },
    clear: () => rmSync(path, { force: true }),
  }
  return store
}

/** Keeps the store up to date from the listener's changes. */
export function resumeForwarder(store: ResumeStore): StatusForwarder {
  return {
    changed(row, before) {
      if (row.resumeCommand !== null && (row.resumeCommand !== before?.resumeCommand || row.title !== before.title))
        store.record(row)
    },
  }
}

interface ResumeFile {
  on: StatusAgent[]
  sessions: ResumeEntry[]
}

function read(path: string): ResumeFile {
  const file = readJson(path)
  if (!isRecord(file)) return { on: [], sessions: [] }
  return {
    on: Array.isArray(file["on"]) ? file["on"].filter(isAgent) : [],
    sessions: Array.isArray(file["sessions"]) ? file["sessions"].filter(isEntry) : [],
  }
}

function write(path: string, file: ResumeFile): void {
  replaceFile(path, `${JSON.stringify(file, null, 2)}\n`)
}

function isEntry(value: unknown): value is ResumeEntry {
  if (!isRecord(value) || !isTerminalId(value["terminalId"]) || !isAgent(value["agent"])) return false
  const titled = value["title"] === null || typeof value["title"] === "string"
  return titled && readResumeCommand(value["agent"], value["command"]) !== undefined && typeof value["at"] === "number"
}
