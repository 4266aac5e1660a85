import { TEAM_COLORS, TEAM_LEAD, type TeamMember } from "@chorus/contracts"

/** The colour of whoever joins next. The lead has none. */
export function nextColor(members: readonly TeamMember[]): string {
  const teammates = members.filter((member) => member.name !== TEAM_LEAD).length
  return TEAM_COLORS[teammates % TEAM_COLORS.length] ?? TEAM_COLORS[0]
}
