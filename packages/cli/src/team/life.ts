import { TEAM_LEAD, type TeamPermissionMode } from "@chorus/contracts"
import {
  type AgentChoice,
  agentType,
  type Backend,
  Bell,
  bodyOf,
  createTeam,
  memberArgv,
  memberFlags,
  type Placement,
  processBackend,
  reachOf,
  requireProgram,
  requestShutdown,
  startMember,
  type Team,
  tmuxBackend,
  tmuxPane,
  toolsBeyond,
  watchFolder,
} from "@chorus/teams"
import { Command, Option } from "commander"
import { paint, printJson } from "../output.ts"
import { wholeNumber } from "../whole-number.ts"
import { paintName } from "./paint.ts"
import { MODES, permissionMode } from "./permission-mode.ts"
import { type InTeam, inTeam, teamOf } from "./place.ts"

export function createCommand(): Command {
  return new Command("create")
    .description("Make a team that Chorus leads.")
    .argument("<name>")
    .option("--description <text>")
    .option("--json", "answer in JSON")
    .action(async (name: string, options: { description?: string; json?: boolean }) => {
      const team = await createTeam({ name, description: options.description })
      if (options.json) return printJson(await team.config())
      process.stdout.write(`${paint("green", "made")} ${name} ${paint("dim", team.paths.directory)}\n`)
    })
}

export function deleteCommand(): Command {
  return inTeam("delete", "Remove a team, its messages and its tasks.")
    .argument("[name]")
    .option("--force", "also with members in it, or when its lead is gone")
    .action(async (name: string | undefined, options: InTeam & { force?: boolean }) => {
      const team = await teamOf({ ...options, ...(name === undefined ? {} : { team: name }) })
      await team.delete({ force: options.force === true })
      if (options.json) return printJson({ deleted: team.name })
      process.stdout.write(`${paint("green", "deleted")} ${team.name}\n`)
    })
}

export function joinCommand(): Command {
  return inTeam("join", "Put a member on the roster; it reads its inbox itself.")
    .requiredOption("--as <name>")
    .option("--type <type>", "what the roster calls it", "external")
    .action(async (options: InTeam & { as: string; type: string }) => {
      const member = await (
        await teamOf(options)
      ).join({ name: options.as, agentType: options.type, cwd: process.cwd() })
      if (options.json) return printJson(member)
      process.stdout.write(`${paintName(member.name, member.color)} joined\n`)
    })
}

export function leaveCommand(): Command {
  return inTeam("leave", "Take a member off the roster; what it had not finished is free again.")
    .requiredOption("--as <name>")
    .action(async (options: InTeam & { as: string }) => {
      const left = await (await teamOf(options)).leave(options.as)
      if (options.json) return printJson({ left })
      process.stdout.write(left ? `${options.as} left\n` : `${options.as} was not there\n`)
    })
}

interface Spawning extends InTeam {
  readonly prompt: string
  readonly program: AgentChoice["program"]
  readonly backend: "tmux" | "process"
  readonly type?: string
  readonly model?: string
  readonly mode?: TeamPermissionMode
  readonly cwd?: string
  readonly planDecider?: string
  readonly native?: boolean
  readonly socket?: string
}

export function spawnCommand(): Command {
  return inTeam("spawn", "Start a new member with its first message.")
    .argument("<name>")
    .argument("[command...]", "the program's path, or after -- a command of your own")
    .requiredOption("--prompt <text>", "what it is told first")
    .addOption(new Option("--program <agent>").choices(["claude", "codex", "opencode", "command"]).default("claude"))
    .addOption(
      new Option("--backend <where>", "in a pane to look at, or out of sight")
        .choices(["tmux", "process"])
        .default("process"),
    )
    .option("--type <type>", "general-purpose, Explore, Plan, Bash, or one of your agent files")
    .option("--model <model>")
    .option("--mode <mode>", MODES, permissionMode)
    .option("--cwd <folder>")
    .option("--plan-decider <who>", "person: the lead's word on a plan is not enough")
    .option("--native", "Claude Code's own team mode in the pane (tmux only)")
    .option("--socket <name>", "the tmux server to use")
    .action(async (name: string, command: string[], options: Spawning) => {
      const team = await teamOf(options)
      const backend = await backendOf(
        team,
        { program: options.program, argv: command.length === 0 ? undefined : command },
        options,
      )
      const { member, running } = await startMember(team, {
        name,
        prompt: options.prompt,
        backend,
        agentType: options.type,
        model: options.model,
        mode: options.mode,
        cwd: options.cwd,
      })
      if (options.json) return printJson(member)
      process.stdout.write(`${paintName(member.name, member.color)} started ${paint("dim", running.place)}\n`)
    })
}

async function backendOf(team: Team, choice: AgentChoice, options: Spawning): Promise<Backend> {
  const extra = options.planDecider === "person" ? ["--plan-decider", "person"] : []
  if (options.backend === "process") return processBackend(choice, extra)
  requireProgram(choice.argv?.[0] ?? choice.program, { cwd: options.cwd ?? process.cwd(), env: process.env })
  const { leadSessionId } = await team.config()
  return tmuxBackend({
    socket: options.socket,
    argvOf: (placement) =>
      options.native === true && choice.program === "claude"
        ? [
            choice.argv?.[0] ?? "claude",
            ...memberFlags({
              name: placement.member.name,
              team: team.name,
              color: placement.member.color ?? "blue",
              parentSessionId: leadSessionId ?? "",
              agentType: placement.member.agentType ?? "general-purpose",
              model: placement.member.model,
              mode: placement.mode,
              disallowedTools: beyondType(placement),
            }),
          ]
        : memberArgv(placement, choice, extra),
  })
}

function beyondType({ team, member, cwd }: Placement): string[] {
  const type = agentType(member.agentType ?? "general-purpose", { root: team.paths.root, project: cwd })
  const beyond = toolsBeyond(reachOf({ onlyTools: type.tools, disallowedTools: type.disallowedTools }))
  return [...new Set([...beyond, ...(type.disallowedTools ?? [])])]
}

export function shutdownCommand(): Command {
  return inTeam("shutdown", "Ask a member to shut down, and wait for its answer.")
    .argument("<name>")
    .option("--reason <text>")
    .option(
      "--timeout <seconds>",
      "how long to wait",
      wholeNumber("Give a whole number of seconds, at most a day.", 0, 86_400),
      60,
    )
    .option("--kill", "end it when it does not answer in time")
    .action(async (name: string, options: InTeam & { reason?: string; timeout: number; kill?: boolean }) => {
      const team = await teamOf(options)
      const member = await team.member(name)
      const { request_id } = await requestShutdown(team, { from: TEAM_LEAD, to: name, reason: options.reason })
      const answer = await answerTo(team, request_id, options.timeout)
      const ended = answer.approved === true || (answer.approved === undefined && options.kill === true)
      if (ended) await seeOut(team, name, member.tmuxPaneId ?? "")
      if (!ended) process.exitCode = 1
      if (options.json) return printJson({ request_id, ...answer, ended })
      process.stdout.write(
        answer.approved === undefined
          ? `${name} did not answer${ended ? " and was ended" : ""}\n`
          : answer.approved
            ? `${name} has shut down\n`
            : `${name} refuses: ${answer.reason}\n`,
      )
    })
}

async function answerTo(
  team: Team,
  requestId: string,
  seconds: number,
): Promise<{ approved: boolean | undefined; reason: string }> {
  const bell = new Bell()
  const watching = watchFolder(team.paths.inboxes, () => bell.ring())
  let late = false
  const timer = setTimeout(() => {
    late = true
    bell.ring()
  }, seconds * 1000)
  try {
    for (;;) {
      const taken = await team.take(TEAM_LEAD, ({ entry }) => {
        const body = bodyOf(entry.text)
        return (
          (body?.type === "shutdown_approved" || body?.type === "shutdown_rejected") && body.requestId === requestId
        )
      })
      const body = taken[0] === undefined ? undefined : bodyOf(taken[0].entry.text)
      if (body?.type === "shutdown_approved") return { approved: true, reason: "" }
      if (body?.type === "shutdown_rejected") return { approved: false, reason: body.reason }
      if (late) return { approved: undefined, reason: "" }
      await bell.heard()
    }
  } finally {
    clearTimeout(timer)
    watching.close()
  }
}

async function seeOut(team: Team, name: string, place: string): Promise<void> {
  if (place.startsWith("%")) await tmuxPane(place).stop()
  await team.leave(name)
}
