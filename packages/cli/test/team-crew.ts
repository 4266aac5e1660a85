import { createTeam, type Team } from "@chorus/teams"

export interface Crew {
  readonly crew: Team
  /** In which the command finds this team and no other. */
  readonly env: { readonly CLAUDE_CONFIG_DIR: string }
}

/** A team that Chorus leads, with these members, in a folder of its own. */
export async function newCrew(folder: string, ...members: string[]): Promise<Crew> {
  const crew = await createTeam({ name: "crew", description: "Builds the till." }, { root: folder })
  for (const name of members) await crew.join({ name, agentType: "external" })
  return { crew, env: { CLAUDE_CONFIG_DIR: folder } }
}
