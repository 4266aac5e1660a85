import { join } from "node:path"
import { TEAM_LEAD, type TeamMember } from "@chorus/contracts"
import { readJson, replaceFile } from "@chorus/disk"
import type { TeamPaths } from "../files/index.ts"

/** The machine that hosts a team which has members here. It alone changes the roster and the tasks. */
export interface HostMachine {
  readonly machine: string
  readonly ledByChorus: boolean
}

/** Undefined for a team of this machine. */
export function hostMachine(paths: TeamPaths): HostMachine | undefined {
  return (readJson(notePath(paths)) as HostMachine | null | undefined) ?? undefined
}

export function noteHostMachine(paths: TeamPaths, host: HostMachine): void {
  replaceFile(notePath(paths), JSON.stringify(host))
}

const AWAY = "machine:"

/** What the roster has in the place of a pane for a member that lives on another machine. */
export function placeOn(machine: string): string {
  return `${AWAY}${machine}`
}

/** The machine that a member lives on; undefined for this one. */
export function awayOn({ name, tmuxPaneId: place = "" }: TeamMember, host?: HostMachine): string | undefined {
  if (place.startsWith(AWAY)) return place.slice(AWAY.length)
  // The lead's pane tells which form the team has, so it stays as it is.
  return name === TEAM_LEAD ? host?.machine : undefined
}

function notePath(paths: TeamPaths): string {
  return join(paths.own, "host-machine.json")
}
