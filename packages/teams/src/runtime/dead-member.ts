import type { TeamMember } from "@chorus/contracts"
import type { Team } from "../team.ts"
import { memberLiveness } from "./host-note.ts"
import { cameByItself } from "./own-reader.ts"
import { endOrphan } from "./progress.ts"
import { spawnNoteOf } from "./spawn-note.ts"

/** Dead, and not for a Claude Code lead to see out. */
export async function isDeadAndOurs(team: Team, member: TeamMember): Promise<boolean> {
  const ours = (await team.ledByChorus()) || cameByItself(member) || spawnNoteOf(team.paths, member.name) !== undefined
  return ours && memberLiveness(team.paths, member, await team.config()) === "dead"
}

/** Ends what a dead member left running, and takes it off the roster. */
export async function seeOutDead(team: Team, name: string): Promise<void> {
  endOrphan(team.paths, name)
  await team.leave(name)
}
