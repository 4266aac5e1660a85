import { TEAM_LEAD, type TeamConfig } from "@chorus/contracts"
import { hostDied, memberLiveness, notePanes } from "../runtime/host-note.ts"
import { cameByItself } from "../runtime/own-reader.ts"
import { endOrphan } from "../runtime/progress.ts"
import type { Team } from "../team.ts"
import type { Finding } from "./finding.ts"

/** Members on the roster whose process is gone. Where a member cannot be looked at, such as a foreign pane, it is not accused. */
export async function ghostFindings(team: Team, config: TeamConfig): Promise<Finding[]> {
  const ours = await team.ledByChorus()
  await notePanes(team.paths, config.members)
  return config.members
    .filter((member) => member.name !== TEAM_LEAD && memberLiveness(team.paths, member, config) === "dead")
    .map((member) => ({
      team: team.name,
      what: "ghost",
      where: team.paths.config,
      says: `"${member.name}" is on the roster but runs no more.`,
      repair:
        ours || hostDied(team.paths, member.name) || cameByItself(member)
          ? () => clearAway(team, member.name)
          : undefined,
    }))
}

async function clearAway(team: Team, name: string): Promise<void> {
  endOrphan(team.paths, name)
  await team.leave(name)
}
