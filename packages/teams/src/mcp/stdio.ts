import { claudeConfigDir, safeName } from "../files/index.ts"
import { processBackend } from "../runtime/member-program.ts"
import { startMember } from "../runtime/start-member.ts"
import type { Team } from "../team.ts"
import type { SpawnRequest } from "./server.ts"

/** Serves the team's tools on this process's standard streams until they close. The protocol's code is loaded only for this. */
export async function serveTeamTools(
  options: { team: string; name: string },
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const root = claudeConfigDir(env)
  const planning = env["CHORUS_TEAM_MODE"] === "plan"
  const team = safeName("team", options.team)
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio")
  const { teamToolServer } = await import("./server.ts")
  serveStdio(() => teamToolServer({ root, team, name: options.name, planning, spawn: spawnProcess }))
}

/** Members started through a tool are processes of their own: they live on when the lead's connection closes. */
async function spawnProcess(team: Team, { program, ...request }: SpawnRequest): Promise<unknown> {
  const choice = program === "codex" || program === "opencode" ? program : "claude"
  const { member } = await startMember(team, { ...request, backend: processBackend({ program: choice }) })
  return { success: true, name: member.name, agent_id: member.agentId, color: member.color }
}
