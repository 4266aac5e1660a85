import { TEAM_LEAD, type TeamConfig, type TeamMember } from "@chorus/contracts"
import { tmuxPane } from "../backends/tmux.ts"
import { livenessOf } from "../files/process-identity.ts"
import { hostOf } from "../runtime/host-note.ts"
import type { Team } from "../team.ts"
import type { Finding } from "./finding.ts"

/** Members on the roster whose process or pane is gone. Where a member cannot be looked at, it is not accused. */
export async function ghostFindings(team: Team, config: TeamConfig): Promise<Finding[]> {
  const ours = await team.ledByChorus()
  const members = config.members.filter((member) => member.name !== TEAM_LEAD)
  const gone = await Promise.all(members.map(async (member) => ((await isGone(team, member)) ? member : undefined)))
  return gone
    .filter((member) => member !== undefined)
    .map((member): Finding => ({
      team: team.name,
      what: "ghost",
      where: team.paths.config,
      says: `"${member.name}" (${member.tmuxPaneId}) is on the roster but runs no more.`,
      repair: ours ? async () => void (await team.leave(member.name)) : undefined,
    }))
}

async function isGone(team: Team, member: TeamMember): Promise<boolean> {
  if (hostOf(team.paths, member.name) !== undefined) return false
  const place = member.tmuxPaneId ?? ""
  const pid = /^pid:([0-9]+)$/.exec(place)?.[1]
  if (pid !== undefined) return livenessOf({ pid: Number(pid) }) === "dead"
  if (!place.startsWith("%") || member.backendType !== "tmux") return false
  return tmuxPane(place)
    .capture?.()
    .then(
      () => false,
      (error: { message?: string }) => /can't find pane/.test(error.message ?? ""),
    ) ?? false
}
