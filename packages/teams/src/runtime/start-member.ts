import { ChorusError, TEAM_LEAD, type TeamMember, type TeamPermissionMode } from "@chorus/contracts"
import { agentType } from "../agents/agent-type.ts"
import { memberEnvironment } from "../agents/environment.ts"
import type { Backend, Running } from "../backends/backend.ts"
import type { Team } from "../team.ts"
import { memberLiveness, writeProcessNote } from "./host-note.ts"
import { endOrphan } from "./progress.ts"
import { type PlanDecider, type SpawnNote, writeSpawnNote } from "./spawn-note.ts"

export interface Spawn {
  readonly name: string
  /** Left out: it waits for its first message. */
  readonly prompt?: string | undefined
  readonly backend: Backend
  readonly agentType?: string | undefined
  readonly model?: string | undefined
  readonly mode?: TeamPermissionMode | undefined
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Whose words the prompt is. The lead's when left out; in a team that somebody else leads it is never the lead's. */
  readonly from?: string | undefined
  /** What it takes to start it again. */
  readonly note?: SpawnNote | undefined
}

/** Registers a member, hands it its prompt and starts it, in that order, so that it finds both when it looks. */
export async function startMember(team: Team, spawn: Spawn): Promise<{ member: TeamMember; running: Running }> {
  if (spawn.note?.joined !== true && !(await team.ledByChorus())) {
    throw new ChorusError(
      "not_the_lead",
      `The lead of "${team.name}" is a Claude Code session; it spawns its own members.`,
      { status: 403, next: "Join the team instead: `chorus team join --host`." },
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
    ...(spawn.prompt === undefined ? {} : { prompt: spawn.prompt }),
    planModeRequired: mode === "plan",
    tmuxPaneId: "",
    cwd,
    subscriptions: [],
    backendType: spawn.backend.type,
    isActive: spawn.prompt !== undefined,
  })
  try {
    if (spawn.prompt !== undefined)
      await team.deliver({ from: spawn.from ?? TEAM_LEAD, to: member.name, text: spawn.prompt })
    const running = await placed(team, member, { backend: spawn.backend, mode, cwd, env: spawn.env })
    if (spawn.note !== undefined) writeSpawnNote(team.paths, member.name, { ...spawn.note, mode })
    return { member: { ...member, tmuxPaneId: running.place }, running }
  } catch (error) {
    await team.leave(member.name)
    throw error
  }
}

/** Whose word on a plan is enough where nobody said it: the lead's where that is an agent, as Claude Code is. */
export async function usualDecider(team: Team): Promise<PlanDecider> {
  return (await team.leadPermits()) ? "lead" : "person"
}

interface Restart {
  readonly backend: Backend
  readonly mode: TeamPermissionMode | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** What it is told, and by whom, unless messages wait for it that it has not dealt with. */
  readonly words: string | undefined
  readonly from: string
}

/** Starts a member again whose process has ended. It keeps its place on the roster, its tasks and its messages. */
export async function restartMember(team: Team, name: string, restart: Restart): Promise<Running> {
  const member = await team.member(name)
  if (memberLiveness(team.paths, member, await team.config()) !== "dead")
    throw new ChorusError("not_dead", `"${name}" has not ended, as far as one can see from here.`, {
      status: 409,
      next: `End it first: \`chorus team shutdown ${name} --kill\`.`,
    })
  endOrphan(team.paths, name)
  const { words, from, ...how } = restart
  if (words !== undefined && (await team.unread(name)).length === 0) await team.deliver({ from, to: name, text: words })
  return placed(team, member, { ...how, cwd: member.cwd ?? process.cwd() })
}

interface Place extends Pick<Restart, "backend" | "mode" | "env"> {
  readonly cwd: string
}

async function placed(team: Team, member: TeamMember, { backend, mode, cwd, env }: Place): Promise<Running> {
  const running = await backend.start({ team, member, mode, cwd, env: memberEnvironment(env ?? process.env) })
  if (running.pid !== undefined) writeProcessNote(team.paths, member.name, running.pid)
  await team.patchMember(member.name, { tmuxPaneId: running.place })
  return running
}
