import { createHash } from "node:crypto"
import { mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { entriesOf, fileNameOf, type TeamPaths } from "../files/index.ts"
import {
  type Liveness,
  livenessOf,
  ownIdentity,
  type ProcessIdentity,
  processStart,
  readJson,
  replaceFile,
} from "@chorus/disk"
import type { TeamConfig, TeamMember } from "@chorus/contracts"
import { paneProcess } from "../backends/tmux.ts"

interface StartedAs extends ProcessIdentity {
  /** In which pane of somebody else it was found. */
  readonly pane?: string
}

/** Says which process hosts a member, as long as it does. A note of a process that has ended does not count. */
export function writeHostNote(paths: TeamPaths, agent: string): void {
  replaceNote(notePath(paths, agent), ownIdentity())
}

export function removeHostNote(paths: TeamPaths, agent: string): void {
  rmSync(notePath(paths, agent), { force: true })
}

export function hostOf(paths: TeamPaths, agent: string): ProcessIdentity | undefined {
  const host = noteOf(paths, agent)
  return host === undefined || livenessOf(host) === "dead" ? undefined : host
}

/** Since when the process that hosts it now does so, in whole milliseconds as messages are dated. */
export function hostedSince(paths: TeamPaths, agent: string): number | undefined {
  if (hostOf(paths, agent) === undefined) return undefined
  const note = statSync(notePath(paths, agent), { throwIfNoEntry: false })
  return note && Math.floor(note.mtimeMs)
}

/** True when a process hosted this member and ended without saying so. */
export function hostDied(paths: TeamPaths, agent: string): boolean {
  const host = noteOf(paths, agent)
  return host !== undefined && livenessOf(host) === "dead"
}

/** Notes as which process a member was started: it says so itself only once it has begun, and not all of them are hosted. */
export function writeProcessNote(paths: TeamPaths, agent: string, pid: number): void {
  replaceNote(processPath(paths, agent), identityOf(pid))
}

/** Who the process of this number is now; another may have it later. */
export function identityOf(pid: number): ProcessIdentity {
  return { ...ownIdentity(), pid, procStart: processStart(pid) ?? "ended" }
}

/** What is noted of who had a name before says nothing of who has it now. */
export function forgetProcesses(paths: TeamPaths, agent: string): void {
  removeProcessNote(paths, agent)
  if (hostDied(paths, agent)) removeHostNote(paths, agent)
}

export function removeProcessNote(paths: TeamPaths, agent: string): void {
  rmSync(processPath(paths, agent), { force: true })
}

/** The same of a pane that a Claude Code lead opened: its own lead does not notice its end either. */
export async function notePanes(paths: TeamPaths, members: readonly TeamMember[]): Promise<void> {
  for (const { name, tmuxPaneId: pane = "", cwd } of members) {
    if (!pane.startsWith("%") || cwd === undefined || startedAs(paths, name, pane) !== undefined) continue
    const pid = await paneProcess(pane, cwd)
    if (pid !== undefined) replaceNote(processPath(paths, name), { ...identityOf(pid), pane })
  }
}

/**
 * Whether a member's process runs; `unknown` for one that nobody here has seen alive. What a Claude Code lead does not
 * put into a pane runs in the lead's own process.
 */
export function memberLiveness(
  paths: TeamPaths,
  { name, tmuxPaneId: place = "" }: TeamMember,
  { leadProcess }: Pick<TeamConfig, "leadProcess">,
): Liveness {
  if (hostOf(paths, name) !== undefined) return "alive"
  const own = ownProcess(paths, name, place)
  if (own !== undefined) return livenessOf(own)
  return place === "in-process" && leadProcess !== undefined ? livenessOf(leadProcess) : "unknown"
}

/** The process with which a member lives and dies, where that is not its lead's: the one that hosts it, or was started as it. */
export function ownProcess(
  paths: TeamPaths,
  agent: string,
  place = "",
): (Pick<ProcessIdentity, "pid"> & Partial<ProcessIdentity>) | undefined {
  const pid = /^pid:([0-9]+)$/.exec(place)?.[1]
  return (
    noteOf(paths, agent) ?? startedAs(paths, agent, place) ?? (pid === undefined ? undefined : { pid: Number(pid) })
  )
}

/** A file of that name says that the end of a member's process was told: once, whoever saw it. */
export function deathNote(paths: TeamPaths, { name, tmuxPaneId }: TeamMember): string | undefined {
  const process = ownProcess(paths, name, tmuxPaneId)
  if (process === undefined) return undefined
  const folder = join(paths.own, "deaths")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { pid, pidSpace = "", procStart = "" } = process
  return join(
    folder,
    createHash("sha256")
      .update(JSON.stringify([name, pid, pidSpace, procStart]))
      .digest("hex"),
  )
}

/** As which process a member was started, or acts that came by itself. */
export function startedProcess(paths: TeamPaths, agent: string): StartedAs | undefined {
  return (readJson(processPath(paths, agent)) as StartedAs | null | undefined) ?? undefined
}

/** What is noted of another pane was of one who had that name before. */
function startedAs(paths: TeamPaths, agent: string, place: string): ProcessIdentity | undefined {
  const note = startedProcess(paths, agent)
  return note?.pane === undefined || note.pane === place ? note : undefined
}

/** With the team of a Claude Code lead goes what was noted of its panes. */
export function dropPaneNotes(paths: TeamPaths): void {
  for (const notes of ["processes", "deaths", "staged"])
    rmSync(join(paths.own, notes), { recursive: true, force: true })
  if (entriesOf(paths.own).length === 0) rmSync(paths.own, { recursive: true, force: true })
}

/** No note: it was never hosted by us. */
function noteOf(paths: TeamPaths, agent: string): ProcessIdentity | undefined {
  return (readJson(notePath(paths, agent)) as ProcessIdentity | null | undefined) ?? undefined
}

function replaceNote(path: string, identity: StartedAs): void {
  replaceFile(path, JSON.stringify(identity), { fleeting: true })
}

function processPath(paths: TeamPaths, agent: string): string {
  return join(paths.own, "processes", `${fileNameOf(agent)}.json`)
}

function notePath(paths: TeamPaths, agent: string): string {
  return join(paths.own, "hosts", `${fileNameOf(agent)}.json`)
}
