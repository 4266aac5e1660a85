import { userInfo } from "node:os"
import { ChorusError, TEAM_LEAD, type TeamMember } from "@chorus/contracts"
import {
  type Backend,
  fileNameOf,
  memberArgv,
  noteOwnSign,
  openTeamOn,
  ownProcessBackend,
  personName,
  type PlanDecider,
  processBackend,
  requireAgent,
  requireOwnVoice,
  requireProgram,
  restartMember,
  type SpawnNote,
  spawnNoteOf,
  type SpawnRequest,
  startMember,
  type Team,
  tmuxBackend,
  usualDecider,
} from "@chorus/teams"
import { type Command, Option } from "commander"
import { paint, printJson } from "../output.ts"
import { paintName } from "./paint.ts"
import { nativeArgv } from "./native-pane.ts"
import { modeOption } from "./permission-mode.ts"
import { agentAbove, standing } from "./person.ts"
import { type InTeam, inTeam, teamAs, teamOf } from "./place.ts"
import { clearLeft, clearWorktree, dropWorktree, worktreeFor } from "./worktree.ts"

interface Joining extends Partial<Spawning>, InTeam {
  readonly as: string
  readonly on?: string
  readonly host?: boolean
}

export function joinCommand(): Command {
  return inTeam("join", "Put a member on the roster; it reads its inbox itself, or with --host an agent does.")
    .requiredOption("--as <name>")
    .argument("[command...]", "with --host: the program's path, or after -- a command of your own")
    .option("--type <type>", "what the roster calls it; with --host its agent type")
    .option("--on <machine>", "the team is hosted by another machine of yours that reports to the same Chorus")
    .option("--host", "start an agent that lives in the team until it is asked to go, whoever leads it")
    .addOption(programOption())
    .option("--prompt <text>", "with --host: what it is told first")
    .option("--model <model>")
    .addOption(modeOption())
    .action(async (command: string[], options: Joining) => {
      const team = options.on === undefined ? await teamOf(options) : await teamOn(options.on, options.team)
      const member = options.host === true ? await hosted(team, command, options) : await byItself(team, options)
      if (options.json) return printJson(member)
      process.stdout.write(`${paintName(member.name, member.color)} joined\n`)
    })
}

async function byItself(team: Team, { as: name, type = "external" }: Joining): Promise<TeamMember> {
  const member = await team.join({ name, agentType: type, cwd: process.cwd(), isActive: false })
  await noteOwnSign(team, name, { pid: agentAbove(), isActive: false })
  return member
}

function teamOn(machine: string, team: string | undefined): Promise<Team> {
  if (team !== undefined) return openTeamOn(machine, team)
  throw new ChorusError("which_team", `Which team of ${machine} is meant has to be said.`, { next: "Add --team." })
}

async function hosted(team: Team, command: string[], { as: name, ...options }: Joining): Promise<TeamMember> {
  requireOwnVoice(team, TEAM_LEAD, standing.line())
  const { member } = await started(team, name, {
    ...options,
    program: options.program ?? "codex",
    argv: command.length === 0 ? undefined : command,
    backend: "process",
    from: await voiceIn(team),
    joined: true,
  })
  return member
}

/**
 * Who speaks for a person here: the lead where that is Chorus, else the person, as nobody writes in a Claude Code
 * lead's name.
 */
async function voiceIn(team: Team): Promise<string> {
  if (await team.ledByChorus()) return TEAM_LEAD
  const { members } = await team.config()
  return personName(
    userInfo().username,
    members.map(({ name }) => name),
  )
}

function programOption(): Option {
  return new Option("--program <agent>").choices(["claude", "codex", "opencode", "command"])
}

export function leaveCommand(): Command {
  return inTeam("leave", "Take a member off the roster; what it had not finished is free again.")
    .requiredOption("--as <name>")
    .action(async (options: InTeam & { as: string }) => {
      const team = await teamAs(options, options.as)
      const left = await team.leave(options.as)
      const told = left ? (await clearWorktree(team, options.as))?.says : undefined
      if (options.json) return printJson({ left, ...(told === undefined ? {} : { told }) })
      process.stdout.write(left ? `${options.as} left\n` : `${options.as} was not there\n`)
      if (told !== undefined) process.stdout.write(`${told}\n`)
    })
}

interface Spawning
  extends InTeam, Pick<SpawnNote, "program" | "backend" | "mode" | "planDecider" | "native" | "socket"> {
  readonly prompt: string
  readonly allowedTools?: readonly string[]
  readonly type?: string | undefined
  readonly model?: string | undefined
  readonly cwd?: string | undefined
}

export function spawnCommand(): Command {
  return inTeam("spawn", "Start a new member with its first message.")
    .argument("<name>")
    .argument("[command...]", "the program's path, or after -- a command of your own")
    .requiredOption("--prompt <text>", "what it is told first")
    .addOption(programOption().default("claude"))
    .addOption(
      new Option(
        "--backend <where>",
        "in a pane to look at, out of sight, or in this command, which then lasts as long",
      )
        .choices(["tmux", "process", "in-process"])
        .default("process"),
    )
    .option("--type <type>", "general-purpose, Explore, Plan, Bash, or one of your agent files")
    .option("--model <model>")
    .addOption(modeOption())
    .option("--cwd <folder>")
    .option("--allowed-tools <rule...>", "what Claude Code uses without asking, such as 'Bash(npm test)'")
    .addOption(new Option("--allowedTools <rule...>", "the same, as Claude Code calls it").hideHelp())
    .addOption(
      new Option(
        "--plan-decider <who>",
        "who approves its plans: a person, or the lead too; the lead where it is an agent",
      ).choices(["person", "lead"]),
    )
    .option("--native", "Claude Code's own team mode in the pane (tmux only)")
    .option("--socket <name>", "the tmux server to use")
    .action(async (name: string, command: string[], options: Spawning) => {
      const team = await teamAs(options, TEAM_LEAD)
      const { program, allowedTools } = options
      if (allowedTools !== undefined && program !== "claude")
        throw new ChorusError("claude_only", `Of the programs only Claude Code takes tools by name, not ${program}.`, {
          next: "Leave --allowed-tools out; --mode and --type bind every program.",
        })
      const argv = command.length === 0 ? undefined : command
      const { member, running, worktree } = await started(team, name, { ...options, argv })
      if (options.json) printJson({ ...member, ...(worktree === undefined ? {} : { worktree }) })
      else process.stdout.write(`${paintName(member.name, member.color)} started ${paint("dim", running.place)}\n`)
      if (options.backend !== "in-process") return
      await running.ended
      const told = await clearWorktree(team, name)
      if (told !== undefined && options.json !== true) process.stdout.write(`${told.says}\n`)
    })
}

interface NewMember extends Omit<Spawning, "team" | "prompt">, Pick<SpawnNote, "argv" | "joined"> {
  readonly prompt?: string | undefined
  readonly from?: string | undefined
}

/** Starts a member, however that was asked for: in a checkout of its own where the team has those, and so that it can be started again. */
async function started(team: Team, name: string, options: NewMember) {
  const { program, argv, backend, allowedTools, native, socket, joined, prompt, from, type, model, mode, json } =
    options
  if (native === true && fileNameOf(team.name) !== team.name)
    throw new ChorusError("unread_team", `Claude Code's own team mode does not find a team called "${team.name}".`, {
      next: "Make a team whose name has English letters, digits, dashes and underscores alone, or leave --native out.",
    })
  const planDecider = options.planDecider ?? (await planDeciderHere(team))
  const worktree = team.worktrees ? await worktreeFor(team, name, options.cwd ?? process.cwd()) : undefined
  const cwd = worktree?.path ?? options.cwd
  const note: SpawnNote = { program, argv, backend, planDecider, allowedTools, native, socket, worktree, joined }
  try {
    const how = { backend: await backendOf(team, note, { cwd, json }), note, agentType: type, model, mode, cwd }
    return { ...(await startMember(team, { name, prompt, from, ...how })), worktree }
  } catch (error) {
    if (worktree !== undefined) await dropWorktree(worktree)
    throw error
  }
}

/** An agent that leads decides, as the original's lead does; a person who leads is asked. */
async function planDeciderHere(team: Team): Promise<PlanDecider> {
  return agentAbove() === undefined ? usualDecider(team) : "lead"
}

/** What a lead that is an agent starts with its tools; it lives on when the lead's connection closes. */
export async function spawnForLead(team: Team, { name, program, agentType, ...request }: SpawnRequest) {
  const member = await started(team, name, {
    ...request,
    program: program ?? "claude",
    type: agentType,
    backend: "process",
    planDecider: "lead",
  })
  // Whoever looks later, such as `chorus team doctor`, takes away what could not go now.
  void member.running.ended.then(() => clearLeft(team)).catch(() => undefined)
  const { agentId, color } = member.member
  return { success: true, name, agent_id: agentId, color, branch: member.worktree?.branch }
}

interface Starting {
  readonly json?: boolean | undefined
  readonly cwd?: string | undefined
  /** It goes on in its conversation. */
  readonly resumed?: boolean
}

/** The back end that a member was or is to be started by. */
async function backendOf(
  team: Team,
  note: SpawnNote,
  { cwd = process.cwd(), resumed = false, json }: Starting = {},
): Promise<Backend> {
  const extra = [
    ...(note.planDecider === undefined ? [] : ["--plan-decider", note.planDecider]),
    ...(note.allowedTools === undefined ? [] : ["--allowedTools", note.allowedTools.join(",")]),
    ...(note.joined === true ? ["--joined"] : []),
    ...(resumed ? ["--resumed"] : []),
  ]
  if (note.backend === "process") return processBackend(note, extra)
  if (note.backend === "in-process")
    return ownProcessBackend(note, extra, (line) => (json === true ? process.stderr : process.stdout).write(line))
  requireProgram(note.argv?.[0] ?? note.program, { cwd, env: process.env })
  const { leadSessionId } = await team.config()
  return tmuxBackend({
    socket: note.socket,
    argvOf(placement) {
      if (note.native === true && note.program === "claude") return nativeArgv(placement, note, leadSessionId)
      requireAgent(note, placement)
      return memberArgv(placement, note, extra)
    },
  })
}

export function respawnCommand(): Command {
  return againCommand("respawn", "Start a member that has died again, from its prompt.", false)
}

export function resumeCommand(): Command {
  return againCommand("resume", "Start a member that has died again, in the conversation it had.", true)
}

function againCommand(command: string, does: string, resumed: boolean): Command {
  return inTeam(command, does)
    .argument("<name>")
    .action(async (name: string, options: InTeam) => {
      const team = await teamAs(options, TEAM_LEAD)
      const { prompt, cwd } = await team.member(name)
      const note = spawnNoteOf(team.paths, name)
      if (note === undefined || (resumed && note.native === true))
        throw new ChorusError(
          "not_ours_to_start",
          `How ${name} ${resumed ? "goes on" : "is started"} is not known here.`,
          {
            status: 409,
            next: note === undefined ? "Whoever started it can start it again." : "Use `chorus team respawn`.",
          },
        )
      const running = await restartMember(team, name, {
        backend: await backendOf(team, note, { cwd, resumed, json: options.json }),
        mode: note.mode,
        words: resumed ? "You were stopped, and run again. Go on with what you were doing." : prompt,
        from: await voiceIn(team),
      })
      if (options.json) printJson({ name, place: running.place })
      else process.stdout.write(`${name} started ${paint("dim", running.place)}\n`)
      if (note.backend === "in-process") await running.ended
    })
}
