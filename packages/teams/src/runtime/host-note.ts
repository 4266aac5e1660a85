import { rmSync } from "node:fs"
import { join } from "node:path"
import { fileNameOf, type TeamPaths } from "../files/index.ts"
import { livenessOf, ownIdentity, type ProcessIdentity, readJson, replaceFile } from "@chorus/disk"

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

/** No note: it was never hosted by us. */
function noteOf(paths: TeamPaths, agent: string): ProcessIdentity | undefined {
  return (readJson(notePath(paths, agent)) as ProcessIdentity | null | undefined) ?? undefined
}

function notePath(paths: TeamPaths, agent: string): string {
  return join(paths.own, "hosts", `${fileNameOf(agent)}.json`)
}
