import { TEAM_LEAD, type TeamConfig, type TeamMember } from "@chorus/contracts"
import { livenessOf } from "@chorus/disk"
import { hostDied, hostOf } from "../runtime/host-note.ts"
import type { Team } from "../team.ts"
import type { Finding } from "./finding.ts"

/** Members on the roster whose process is gone. Where a member cannot be looked at, such as a foreign pane, it is not accused. */
export async function ghostFindings(team: Team, config: TeamConfig): Promise<Finding[]> {
  const ours = await team.ledByChorus()
  return config.members
    .filter((member) => member.name !== TEAM_LEAD && isGone(team, member))
    .map((member) => ({
      team: team.name,
      what: "ghost",
      where: team.paths.config,
      says: `"${member.name}" is on the roster but runs no more.`,
      repair: ours || hostDied(team.paths, member.name) ? async () => void (await team.leave(member.name)) : undefined,
    }))
}

function isGone(team: Team, member: TeamMember): boolean {
  if (hostOf(team.paths, member.name) !== undefined) return false
  if (hostDied(team.paths, member.name)) return true
  const pid = /^pid:([0-9]+)$/.exec(member.tmuxPaneId ?? "")?.[1]
  return pid !== undefined && livenessOf({ pid: Number(pid) }) === "dead"
}
