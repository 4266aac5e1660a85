import { spawn } from "node:child_process"
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { ownProgram } from "../agents/own-program.ts"
import { ChorusError, TeamPermissionMode } from "@chorus/contracts"
import { agentType } from "../agents/agent-type.ts"
import { type AgentOptions, claudeDriver } from "../agents/claude-driver.ts"
import { codexDriver, opencodeDriver } from "../agents/turn-drivers.ts"
import { commandDriver } from "../agents/command-driver.ts"
import { memberEnvironment } from "../agents/environment.ts"
import { teamTools } from "../agents/team-tools.ts"
import type { Backend, Placement } from "../backends/backend.ts"
import { livenessOf } from "@chorus/disk"
import { requireKeepsToPlan } from "../agents/plan-keeping.ts"
import { requireProgram } from "../agents/program.ts"
import { claudeConfigDir, fileNameOf, type TeamPaths } from "../files/index.ts"
import { openTeam } from "../team.ts"
import type { Driver } from "./driver.ts"
import { MemberHost } from "./member-host.ts"
import { progressOf } from "./progress.ts"
import type { PlanDecider } from "./spawn-note.ts"
import { usualDecider } from "./start-member.ts"

/** Which agent a member is: one of the three we know, or a command as a list of words. */
export interface AgentChoice {
  readonly program: "claude" | "codex" | "opencode" | "command"
  /** The path of the program, or the command and its arguments. */
  readonly argv?: readonly string[] | undefined
}

export function driverFor(choice: AgentChoice, options: Omit<AgentOptions, "program">): Driver {
  const agent = { ...options, program: choice.argv?.[0] }
  switch (choice.program) {
    case "claude":
      return claudeDriver(agent)
    case "codex":
      return codexDriver(agent)
    case "opencode":
      return opencodeDriver(agent)
    case "command":
      if (choice.argv === undefined || choice.argv.length === 0)
        throw new ChorusError("no_command", "A member of kind `command` needs a command.", {
          next: "Put it after `--`.",
        })
      return commandDriver({ argv: choice.argv, cwd: options.cwd, env: options.env })
  }
}

/**
 * A member as a program of its own. It understands the flags that a Claude Code lead gives its panes and passes over those it
 * does not know, so it can be that program; ours are `--program`, `--mode`, and the command after `--`.
 */
export async function runMember(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const host = await hostMember(argv, { env, cwd: process.cwd(), say: (line) => process.stdout.write(line) })
  await host.ended
  if (host.failure !== undefined) throw host.failure
}

interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly say: (line: string) => void
}

async function hostMember(argv: readonly string[], { env, cwd, say }: Surroundings): Promise<MemberHost> {
  const separator = argv.indexOf("--")
  const flags = separator < 0 ? argv : argv.slice(0, separator)
  const command = separator < 0 ? jsonList(env["CHORUS_TEAM_COMMAND"]) : argv.slice(separator + 1)
  const { values } = parseArgs({ args: [...flags], strict: false, allowPositionals: true, options: FLAGS })
  const text = (flag: string) => (typeof values[flag] === "string" ? values[flag] : undefined)
  const name = text("agent-name")
  const teamName = text("team-name")
  if (name === undefined || teamName === undefined)
    throw new ChorusError("missing_flag", "A member needs --team-name and --agent-name.", {
      next: "Start it with `chorus team spawn`.",
    })
  const root = claudeConfigDir(env)
  const team = await openTeam(teamName, { root })
  const { planModeRequired } = await team.member(name)
  const type = agentType(text("agent-type") ?? "general-purpose", { root, project: cwd })
  const resumed = values["resumed"] === true
  const skips = values["dangerously-skip-permissions"] === true
  const driver = driverFor(
    { program: programOf(text("program") ?? env["CHORUS_TEAM_PROGRAM"], command), argv: command },
    {
      team: teamName,
      name,
      cwd,
      env: memberEnvironment(env),
      tools: teamTools({ root, team: teamName, name }),
      model: values["own-model"] === true ? text("model") : undefined,
      prompt: type.prompt,
      thread: resumed ? progressOf(team.paths, name)?.thread : undefined,
      onlyTools: type.tools,
      allowedTools: text("allowedTools")?.split(","),
      disallowedTools: [...(text("disallowedTools")?.split(",") ?? []), ...(type.disallowedTools ?? [])],
    },
  )
  const spawnedByClaude = !(await team.ledByChorus())
  const host = new MemberHost({
    team,
    name,
    driver,
    planModeRequired: planModeRequired === true || values["plan-mode-required"] === true,
    mode: skips ? "bypassPermissions" : TeamPermissionMode.safeParse(text("mode") ?? text("permission-mode")).data,
    planDecider: planDeciderFrom(text("plan-decider")) ?? (await usualDecider(team)),
    resumed,
    leaves: !spawnedByClaude || values["joined"] === true,
    onEvent: ({ event, text: words }) =>
      say(`${new Date().toISOString()} ${event}${words === undefined ? "" : ` ${words.slice(0, 500)}`}\n`),
  })
  say(`${name} joins ${teamName}\n`)
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => void host.close())
  return host
}

const FLAGS = {
  ...Object.fromEntries(
    [
      "agent-id",
      "agent-name",
      "team-name",
      "agent-color",
      "parent-session-id",
      "agent-type",
      "model",
      "permission-mode",
      "allowedTools",
      "disallowedTools",
      "program",
      "mode",
      "plan-decider",
      "settings",
      "plugin-dir",
      "lead-verify-key",
    ].map((name) => [name, { type: "string" as const }]),
  ),
  "plan-mode-required": { type: "boolean" as const },
  "dangerously-skip-permissions": { type: "boolean" as const },
  "own-model": { type: "boolean" as const },
  /** Goes on in its conversation. */
  resumed: { type: "boolean" as const },
  /** It came by itself, so it goes by itself. */
  joined: { type: "boolean" as const },
}

/** The command line of a member, for a pane or a process of its own. */
export function memberArgv(placement: Placement, choice: AgentChoice, extra: readonly string[] = []): string[] {
  const { member, team, mode } = placement
  return [
    process.execPath,
    ownProgram(import.meta.url, "./member-main.ts", "team-member.js"),
    "--team-name",
    team.name,
    "--agent-name",
    member.name,
    ...(member.agentType === undefined ? [] : ["--agent-type", member.agentType]),
    ...(member.model === undefined ? [] : ["--model", member.model, "--own-model"]),
    ...(mode === undefined ? [] : ["--mode", mode]),
    "--program",
    choice.program,
    ...extra,
    ...(choice.argv === undefined || choice.argv.length === 0 ? [] : ["--", ...choice.argv]),
  ]
}

/** Runs each member as a process of its own that outlives us; what it says goes to a log file. */
export function processBackend(choice: AgentChoice, extra: readonly string[] = []): Backend {
  return {
    type: "process",
    async start(placement) {
      requireAgent(choice, placement)
      const [command = "", ...args] = memberArgv(placement, choice, extra)
      const log = openLog(placement)
      const child = spawn(command, args, {
        cwd: placement.cwd,
        env: { ...placement.env, CLAUDE_CONFIG_DIR: placement.team.paths.root },
        detached: true,
        stdio: ["ignore", log, log],
      })
      closeSync(log)
      const pid = child.pid ?? 0
      child.unref()
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()))
      return { place: `pid:${pid}`, pid, ended, stop: () => endProcess(pid, ended) }
    },
  }
}

/** Runs a member in this process, which lasts as long as the member does; what it says goes to its log and to `say`. */
export function ownProcessBackend(choice: AgentChoice, extra: readonly string[], say: (line: string) => void): Backend {
  return {
    type: "in-process",
    async start(placement) {
      requireAgent(choice, placement)
      const [, , ...flags] = memberArgv(placement, choice, extra)
      const log = openLog(placement)
      const host = await hostMember(flags, {
        env: { ...placement.env, CLAUDE_CONFIG_DIR: placement.team.paths.root },
        cwd: placement.cwd,
        say(line) {
          writeSync(log, line)
          say(line)
        },
      })
      const ended = host.ended.finally(() => closeSync(log))
      return { place: "in-process", ended, stop: () => host.close() }
    },
  }
}

/** Says at once what its member would only say in its log: that a program is missing, or does not keep to its plan. */
export function requireAgent({ program, argv }: AgentChoice, { mode, cwd, env }: Placement): void {
  const path = argv?.[0] ?? program
  requireProgram(path, { cwd, env })
  if (program === "claude" && mode === "plan") requireKeepsToPlan(path, { cwd, env }, "headless")
}

function openLog({ team, member }: Placement): number {
  const path = logPath(team.paths, member.name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return openSync(path, "a", 0o600)
}

/** Where a member that runs out of sight says what it does. */
export function logPath(paths: TeamPaths, agent: string): string {
  return join(paths.own, "log", `${fileNameOf(agent)}.log`)
}

async function endProcess(pid: number, ended: Promise<void>): Promise<void> {
  if (livenessOf({ pid }) === "dead") return
  signal(pid, "SIGTERM")
  const timer = setTimeout(() => signal(pid, "SIGKILL"), 5_000)
  await ended
  clearTimeout(timer)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name)
  } catch {
    // It has ended already.
  }
}

function programOf(name: string | undefined, command: readonly string[] | undefined): AgentChoice["program"] {
  if (name === "claude" || name === "codex" || name === "opencode" || name === "command") return name
  if (name === undefined && command !== undefined) return "command"
  throw new ChorusError(
    "no_such_program",
    `A member can be claude, codex, opencode or command, not ${JSON.stringify(name)}.`,
    { next: "Set --program or CHORUS_TEAM_PROGRAM." },
  )
}

function planDeciderFrom(word: string | undefined): PlanDecider | undefined {
  return word === "person" || word === "lead" ? word : undefined
}

function jsonList(text: string | undefined): string[] | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as string[])
}
