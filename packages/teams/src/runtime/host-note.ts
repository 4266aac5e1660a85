import { rmSync } from "node:fs"
import { join } from "node:path"
import { fileNameOf, type TeamPaths } from "../files/index.ts"
import {
  type Liveness,
  livenessOf,
  ownIdentity,
  type ProcessIdentity,
  processStart,
  readJson,
  replaceFile,
} from "@chorus/disk"
import type { TeamMember } from "@chorus/contracts"

/** Says which process hosts a member, as long as it does. A note of a process that has ended does not count. */
export function writeHostNote(paths: TeamPaths, agent: string): void {
  replaceFile(notePath(paths, agent), JSON.stringify(ownIdentity()), { fleeting: true })
}

export function removeHostNote(paths: TeamPaths, agent: string): void {
  rmSync(notePath(paths, agent), { force: true })
}

export function hostOf(paths: TeamPaths, agent: string): ProcessIdentity | undefined {
  const host = noteOf(paths, agent)
  return host === undefined || livenessOf(host) === "dead" ? undefined : host
}

/** True when a process hosted this member and ended without saying so. */
export function hostDied(paths: TeamPaths, agent: string): boolean {
  const host = noteOf(paths, agent)
  return host !== undefined && livenessOf(host) === "dead"
}

/** Notes as which process a member was started: it says so itself only once it has begun, and not all of them are hosted. */
export function writeProcessNote(paths: TeamPaths, agent: string, pid: number): void {
  replaceFile(processPath(paths, agent), JSON.stringify(identityOf(pid)), { fleeting: true })
}

/** Who the process of this number is now; another may have it later. */
export function identityOf(pid: number): ProcessIdentity {
  return { ...ownIdentity(), pid, procStart: processStart(pid) ?? "ended" }
}

export function removeProcessNote(paths: TeamPaths, agent: string): void {
  rmSync(processPath(paths, agent), { force: true })
}

/** Whether a member's process runs; `unknown` for one that nobody here started, such as a pane of a Claude Code lead. */
export function memberLiveness(paths: TeamPaths, { name, tmuxPaneId }: TeamMember): Liveness {
  if (hostOf(paths, name) !== undefined) return "alive"
  if (hostDied(paths, name)) return "dead"
  const started = readJson(processPath(paths, name)) as ProcessIdentity | null | undefined
  if (started !== undefined && started !== null) return livenessOf(started)
  const pid = /^pid:([0-9]+)$/.exec(tmuxPaneId ?? "")?.[1]
  return pid === undefined ? "unknown" : livenessOf({ pid: Number(pid) })
}

/** No note: it was never hosted by us. */
function noteOf(paths: TeamPaths, agent: string): ProcessIdentity | undefined {
  return (readJson(notePath(paths, agent)) as ProcessIdentity | null | undefined) ?? undefined
}

function processPath(paths: TeamPaths, agent: string): string {
  return join(paths.own, "processes", `${fileNameOf(agent)}.json`)
}

function notePath(paths: TeamPaths, agent: string): string {
  return join(paths.own, "hosts", `${fileNameOf(agent)}.json`)
}
