import type { TeamConfig, TeamEra } from "@chorus/contracts"
import { TEAM_LEAD } from "@chorus/contracts"

const SESSION_TEAM = /^session-[0-9a-f]{8}$/

/** Which form the owner of this directory writes and expects. Decided per directory, from what the owner itself wrote. */
export function eraOf(config: TeamConfig): TeamEra {
  const lead = config.members.find((member) => member.name === TEAM_LEAD)
  if (config.leadProcess !== undefined || lead?.tmuxPaneId === "leader") return "session"
  return SESSION_TEAM.test(config.name) && config.description === undefined ? "session" : "named"
}
