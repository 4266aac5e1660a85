import { TEAM_LEAD, type TeamMember } from "@chorus/contracts"
import type { Team } from "../team.ts"
import { hostOf, removeProcessNote, writeProcessNote } from "./host-note.ts"
import { noteProgress, progressOf } from "./progress.ts"

/** Put on the roster by itself, and read for by nobody else: neither Claude Code nor a host of ours runs it. */
export function cameByItself({ name, backendType, tmuxPaneId = "" }: TeamMember): boolean {
  return name !== TEAM_LEAD && backendType === undefined && tmuxPaneId === ""
}

interface OwnSign {
  /** The agent that acts for the member; undefined where that is not known, as for a person at a shell. */
  readonly pid: number | undefined
  /** Whether it has something to do now: it took messages, or found none. */
  readonly isActive?: boolean | undefined
}

/** A member that came by itself was heard of: nothing else tells that it is there, and how it gets on. */
export async function noteOwnSign(team: Team, name: string, { pid, isActive }: OwnSign): Promise<void> {
  const member = (await team.config()).members.find((other) => other.name === name)
  if (member === undefined || !cameByItself(member) || hostOf(team.paths, name) !== undefined) return
  if (pid === undefined) removeProcessNote(team.paths, name)
  else writeProcessNote(team.paths, name, pid)
  noteProgress(team.paths, name, { ...progressOf(team.paths, name), at: team.timestamp() })
  if (isActive !== undefined) await team.patchMember(name, { isActive })
}
