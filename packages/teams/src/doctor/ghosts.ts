import { TEAM_LEAD, type TeamConfig } from "@chorus/contracts"
import { seeOutDead } from "../runtime/dead-member.ts"
import { hostDied, memberLiveness, notePanes } from "../runtime/host-note.ts"
import { cameByItself } from "../runtime/own-reader.ts"
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
          ? () => seeOutDead(team, member.name)
          : undefined,
    }))
}
