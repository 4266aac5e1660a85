import { ChorusError, type TeamPermissionMode } from "@chorus/contracts"
import type { Driver } from "../runtime/driver.ts"
import type { Sign } from "../runtime/progress.ts"
import { type AgentOptions, toolLine } from "./claude-driver.ts"
import { codexFlags, type OpencodeTerms, opencodeTerms, reachOf } from "./permission-table.ts"
import { jsonLine, Program } from "./program.ts"
import { teamBriefing } from "./team-tools.ts"

/** What a line of a program's output tells us. */
export interface Heard extends Sign {
  readonly said?: string
  readonly failure?: string
}

export interface TurnProgram {
  readonly name: string
  argv(mode: TeamPermissionMode, thread: string | undefined): string[]
  env(mode: TeamPermissionMode): Readonly<Record<string, string>>
  hear(event: Record<string, unknown>): Heard
}

/** An agent that is a program run once for each turn, its prompt given through its input, its events a line of JSON each. */
export function turnProgramDriver(options: AgentOptions, { name, argv, env, hear }: TurnProgram): Driver {
  let { thread } = options
  let running: Program | undefined
  return {
    decidesInTurn: true,
    async turn(turn) {
      const first = thread === undefined
      const program = new Program({
        argv: argv(turn.mode, thread),
        cwd: options.cwd,
        env: { ...env(turn.mode), CHORUS_TEAM_MODE: turn.mode },
      })
      running = program
      turn.heard({ pid: program.child.pid })
      const stop = () => void program.stop()
      turn.signal.addEventListener("abort", stop)
      let said = ""
      let failure: string | undefined
      program.lines((line) => {
        const event = jsonLine(line)
        if (event === undefined) return
        const heard = hear(event)
        thread = heard.thread ?? thread
        said = heard.said ?? said
        failure = heard.failure ?? failure
        turn.heard({ line: heard.said, ...heard })
      })
      program.child.stdin.end(first ? `${teamBriefing(options)}\n\n${turn.text}` : turn.text)
      try {
        const code = await program.ended
        if (failure !== undefined || code !== 0)
          throw new ChorusError(
            "agent_failed",
            failure ?? `${name} ended with ${code ?? "a signal"}: ${program.lastWords}`,
            { status: 502 },
          )
        return said
      } finally {
        turn.signal.removeEventListener("abort", stop)
      }
    },
    async close() {
      await running?.stop()
    },
  }
}

/** Codex without a terminal: `codex exec` for the first turn, `codex exec resume` on its thread for the others. */
export function codexDriver(options: AgentOptions): Driver {
  return turnProgramDriver(options, {
    name: "Codex",
    env: () => options.env,
    argv: (mode, thread) => codexArgv(options, mode, thread),
    hear: codexHears,
  })
}

function codexHears(event: Record<string, unknown>): Heard {
  if (event["type"] === "thread.started") return { thread: String(event["thread_id"]) }
  if (event["type"] === "turn.failed")
    return { failure: (event["error"] as { message?: string } | undefined)?.message ?? "unknown" }
  if (event["type"] === "turn.completed") {
    const usage = event["usage"] as { input_tokens?: number; output_tokens?: number } | undefined
    return { tokens: (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0) }
  }
  const { type, text, command } = (event["item"] ?? {}) as { type?: string; text?: string; command?: string }
  if (event["type"] === "item.started" && command !== undefined) return { line: command }
  return event["type"] === "item.completed" && type === "agent_message" ? { said: text ?? "" } : {}
}

function codexArgv(options: AgentOptions, mode: TeamPermissionMode, thread: string | undefined): string[] {
  const { command, args, env } = options.tools
  const server = `{command=${toml(command)},args=[${args.map(toml).join(",")}],env={${Object.entries(env)
    .map(([key, value]) => `${key}=${toml(value)}`)
    .join(",")}},default_tools_approval_mode="approve",required=true,startup_timeout_sec=60}`
  return [
    options.program ?? "codex",
    "exec",
    ...(thread === undefined ? [] : ["resume", thread]),
    "--json",
    "--skip-git-repo-check",
    "-c",
    `mcp_servers.team=${server}`,
    ...codexFlags(mode, reachOf(options)),
    ...(options.model === undefined ? [] : ["-m", options.model]),
    "-",
  ]
}

/** A JSON string is a TOML basic string, but for the delete character. */
function toml(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f")
}

/** OpenCode without a terminal: `opencode run` for each turn, on one session. */
export function opencodeDriver(options: AgentOptions): Driver {
  const terms = (mode: TeamPermissionMode) => opencodeTerms(mode, reachOf(options))
  return turnProgramDriver(options, {
    name: "OpenCode",
    env: (mode) => ({ ...options.env, OPENCODE_CONFIG_CONTENT: configOf(options, terms(mode)) }),
    argv: (mode, session) => opencodeArgv(options, terms(mode), session),
    hear: opencodeHears,
  })
}

function opencodeArgv(options: AgentOptions, terms: OpencodeTerms, session: string | undefined): string[] {
  return [
    options.program ?? "opencode",
    "run",
    "--format",
    "json",
    ...(session === undefined ? [] : ["--session", session]),
    ...terms.flags,
    ...(options.model === undefined ? [] : ["--model", options.model]),
  ]
}

function opencodeHears(event: Record<string, unknown>): Heard {
  const part = (event["part"] ?? {}) as {
    text?: string
    tool?: string
    cost?: number
    tokens?: { input?: number; output?: number }
    state?: { input?: Record<string, unknown> }
  }
  const said = event["type"] === "text" ? part.text : undefined
  return {
    ...(event["type"] === "tool_use" ? { line: toolLine(part.tool, part.state?.input) } : {}),
    ...(event["type"] === "step_finish"
      ? { costUsd: part.cost ?? 0, tokens: (part.tokens?.input ?? 0) + (part.tokens?.output ?? 0) }
      : {}),
    ...(typeof event["sessionID"] === "string" ? { thread: event["sessionID"] } : {}),
    ...(said === undefined ? {} : { said }),
    ...(event["type"] === "error" ? { failure: JSON.stringify(event["error"]) } : {}),
  }
}

/** Adds our server and the member's terms to whatever configuration was already handed over this way. */
function configOf(options: AgentOptions, { permission, agent }: OpencodeTerms): string {
  const given = jsonLine(options.env["OPENCODE_CONFIG_CONTENT"] ?? "") ?? {}
  const bound = (of: unknown) => {
    const rules = (of as { permission?: unknown } | undefined)?.permission
    // One word is a rule for everything.
    return {
      permission: { ...(typeof rules === "string" ? { "*": rules } : (rules as object | undefined)), ...permission },
    }
  }
  const agents = given["agent"] as Record<string, object> | undefined
  const { command, args, env } = options.tools
  const mcp = {
    ...(given["mcp"] as object | undefined),
    team: { type: "local", command: [command, ...args], environment: env, enabled: true },
  }
  return JSON.stringify({
    ...given,
    mcp,
    ...(Object.keys(permission).length === 0 ? {} : bound(given)),
    ...(agent === undefined
      ? {}
      : { agent: { ...agents, [agent]: { ...agents?.[agent], ...bound(agents?.[agent]) } } }),
  })
}
