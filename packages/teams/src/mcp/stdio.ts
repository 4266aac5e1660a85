import { claudeConfigDir, safeName, teamPaths } from "../files/index.ts"
import { requireOwnVoice } from "../runtime/own-voice.ts"
import { Team } from "../team.ts"
import type { TeamToolsOptions } from "./server.ts"

/** Serves the team's tools on this process's standard streams until they close. The protocol's code is loaded only for this. */
export async function serveTeamTools(
  options: Pick<TeamToolsOptions, "team" | "name" | "plans" | "spawn">,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const root = claudeConfigDir(env)
  const planning = env["CHORUS_TEAM_MODE"] === "plan"
  const team = safeName("team", options.team)
  requireOwnVoice(new Team(teamPaths(root, team)), options.name)
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio")
  const { teamToolServer } = await import("./server.ts")
  serveStdio(() => teamToolServer({ ...options, root, team, planning }))
}
