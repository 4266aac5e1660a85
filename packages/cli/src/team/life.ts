import { userInfo } from "node:os"
import { ChorusError, TEAM_LEAD, type TeamMember } from "@chorus/contracts"
import {
  agentType,
  type Backend,
  fileNameOf,
  memberArgv,
  memberFlags,
  noteOwnSign,
  openTeamOn,
  ownProcessBackend,
  personName,
  type Placement,
  processBackend,
  reachOf,
  requireProgram,
  restartMember,
  type SpawnNote,
  spawnNoteOf,
  startMember,
  type Team,
  tmuxBackend,
  toolsBeyond,
} from "@chorus/teams"
import { type Command, Option } from "commander"
import { paint, printJson } from "../output.ts"
import { paintName } from "./paint.ts"
import { modeOption } from "./permission-mode.ts"
import { agentAbove, standing } from "./person.ts"
import { type InTeam, inTeam, teamAs, teamOf } from "./place.ts"
import { dropWorktree, worktreeFor } from "./worktree.ts"

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

async function hosted(team: Team, command: string[], options: Joining): Promise<TeamMember> {
  const note: SpawnNote = {
    program: options.program ?? "codex",
    argv: command.length === 0 ? undefined : command,
    backend: "process",
    joined: true,
  }
  const { member } = await startMember(team, {
    name: options.as,
    prompt: options.prompt,
    from: await voiceIn(team),
    backend: await backendOf(team, note),
    agentType: options.type,
    model: options.model,
    mode: options.mode,
    note,
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
      const left = await (await teamAs(options, options.as)).leave(options.as)
      if (options.json) return printJson({ left })
      process.stdout.write(left ? `${options.as} left\n` : `${options.as} was not there\n`)
    })
}

interface Spawning
  extends InTeam, Pick<SpawnNote, "program" | "backend" | "mode" | "planDecider" | "native" | "socket"> {
  readonly prompt: string
  readonly allowedTools?: readonly string[]
  readonly type?: string
  readonly model?: string
  readonly cwd?: string
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
    .option("--plan-decider <who>", "person: the lead's word on a plan is not enough")
    .option("--native", "Claude Code's own team mode in the pane (tmux only)")
    .option("--socket <name>", "the tmux server to use")
    .action(async (name: string, command: string[], options: Spawning) => {
      const team = await teamAs(options, TEAM_LEAD)
      const { program, allowedTools } = options
      if (allowedTools !== undefined && program !== "claude")
        throw new ChorusError("claude_only", `Of the programs only Claude Code takes tools by name, not ${program}.`, {
          next: "Leave --allowed-tools out; --mode and --type bind every program.",
        })
      if (native === true && fileNameOf(team.name) !== team.name)
        throw new ChorusError(
          "unread_team",
          `Claude Code's own team mode does not find a team called "${team.name}".`,
          {
            next: "Make a team whose name has English letters, digits, dashes and underscores alone, or leave --native out.",
          },
        )
      const argv = command.length === 0 ? undefined : command
      const worktree = team.worktrees ? await worktreeFor(team, name, options.cwd ?? process.cwd()) : undefined
      const cwd = worktree?.path ?? options.cwd
      const note: SpawnNote = { program, argv, backend, planDecider, allowedTools, native, socket, worktree }
      const started = async () =>
        startMember(team, {
          name,
          prompt: options.prompt,
          backend: await backendOf(team, note, { cwd, json: options.json }),
          note,
          agentType: options.type,
          model: options.model,
          mode: options.mode,
          cwd,
        })
      const { member, running } = await started().catch(async (error: unknown) => {
        if (worktree !== undefined) await dropWorktree(worktree)
        throw error
      })
      if (options.json) printJson({ ...member, ...(worktree === undefined ? {} : { worktree }) })
      else process.stdout.write(`${paintName(member.name, member.color)} started ${paint("dim", running.place)}\n`)
      if (backend === "in-process") await running.ended
    })
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
    ...(note.planDecider === "person" ? ["--plan-decider", "person"] : []),
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
    argvOf: (placement) =>
      note.native === true && note.program === "claude"
        ? [
            note.argv?.[0] ?? "claude",
            ...memberFlags({
              name: placement.member.name,
              team: team.name,
              color: placement.member.color ?? "blue",
              parentSessionId: leadSessionId ?? "",
              agentType: placement.member.agentType ?? "general-purpose",
              model: placement.member.model,
              mode: placement.mode,
              allowedTools: note.allowedTools,
              disallowedTools: beyondType(placement),
            }),
          ]
        : memberArgv(placement, note, extra),
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

function beyondType({ team, member, cwd }: Placement): string[] {
  const type = agentType(member.agentType ?? "general-purpose", { root: team.paths.root, project: cwd })
  const beyond = toolsBeyond(reachOf({ onlyTools: type.tools, disallowedTools: type.disallowedTools }))
  return [...new Set([...beyond, ...(type.disallowedTools ?? [])])]
}
