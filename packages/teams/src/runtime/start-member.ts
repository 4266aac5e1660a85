import { ChorusError, TEAM_LEAD, type TeamMember, type TeamPermissionMode } from "@chorus/contracts"
import { agentType } from "../agents/agent-type.ts"
import { memberEnvironment } from "../agents/environment.ts"
import type { Backend, Running } from "../backends/backend.ts"
import type { Team } from "../team.ts"
import { writeProcessNote } from "./host-note.ts"

export interface Spawn {
  readonly name: string
  readonly prompt: string
  readonly backend: Backend
  readonly agentType?: string | undefined
  readonly model?: string | undefined
  readonly mode?: TeamPermissionMode | undefined
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/** Registers a member, hands it its prompt and starts it, in that order, so that it finds both when it looks. */
export async function startMember(team: Team, spawn: Spawn): Promise<{ member: TeamMember; running: Running }> {
  if (!(await team.ledByChorus())) {
    throw new ChorusError(
      "not_the_lead",
      `The lead of "${team.name}" is a Claude Code session; it spawns its own members.`,
      { status: 403, next: "Join the team instead: `chorus team join`." },
    )
  }
  const cwd = spawn.cwd ?? process.cwd()
  const type = agentType(spawn.agentType ?? "general-purpose", { root: team.paths.root, project: cwd })
  const mode = spawn.mode ?? type.mode
  const model = spawn.model ?? type.model
  const member = await team.join({
    name: spawn.name,
    agentType: type.name,
    ...(model === undefined ? {} : { model }),
    prompt: spawn.prompt,
    planModeRequired: mode === "plan",
    tmuxPaneId: "",
    cwd,
    subscriptions: [],
    backendType: spawn.backend.type,
    isActive: true,
  })
  try {
    await team.deliver({ from: TEAM_LEAD, to: member.name, text: spawn.prompt })
    const running = await spawn.backend.start({
      team,
      member,
      mode,
      cwd,
      env: memberEnvironment(spawn.env ?? process.env),
    })
    if (running.pid !== undefined) writeProcessNote(team.paths, member.name, running.pid)
    await team.patchMember(member.name, { tmuxPaneId: running.place })
    return { member: { ...member, tmuxPaneId: running.place }, running }
  } catch (error) {
    await team.leave(member.name)
    throw error
  }
}
