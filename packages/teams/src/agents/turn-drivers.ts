import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { TeamPermissionMode } from "@chorus/contracts"
import type { Driver } from "../runtime/driver.ts"
import type { Sign } from "../runtime/progress.ts"
import { type AskingTurn, codexTurn, opencodeTurn } from "./asking-turns.ts"
import { type AgentOptions, toolLine } from "./claude-driver.ts"
import { agentFailed, isRefused } from "./conversation.ts"
import { codexFlags, type OpencodePermission, type OpencodeTerms, opencodeTerms, reachOf } from "./permission-table.ts"
import { jsonLine, Program } from "./program.ts"
import { PLAN_TOOL, planningTools, teamBriefing, type TeamTools } from "./team-tools.ts"

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
  /** Finds out what it takes to start it; before every turn. */
  prepare?(mode: TeamPermissionMode, signal: AbortSignal): Promise<void>
  /** How it is spoken to in a mode in which it may ask; undefined in one in which it may not. */
  asking(mode: TeamPermissionMode): { readonly argv: string[]; turn(turn: AskingTurn): Promise<string> } | undefined
}

const PLANNING = `You are in plan mode: you may look, and change nothing. Hand in your plan with the tool ${PLAN_TOOL} of the server \`team\`.`

const CONFIG_MS = 30_000

/** In the other modes nothing is asked: it is allowed, or it is refused. */
const ASKS: ReadonlySet<TeamPermissionMode> = new Set(["default", "acceptEdits", "delegate"])

/** An agent that is a program run once for each turn, its prompt given through its input, its events a line of JSON each. */
export function turnProgramDriver(
  options: AgentOptions,
  { name, argv, env, prepare, hear, asking }: TurnProgram,
): Driver {
  let { thread } = options
  let running: Program | undefined
  return {
    decidesInTurn: true,
    planTool: PLAN_TOOL,
    async turn(turn) {
      await prepare?.(turn.mode, turn.signal)
      turn.signal.throwIfAborted()
      const text = [
        ...(thread === undefined ? [teamBriefing(options)] : []),
        ...(turn.mode === "plan" ? [PLANNING] : []),
        turn.text,
      ].join("\n\n")
      const conversation = ASKS.has(turn.mode) ? asking(turn.mode) : undefined
      const program = new Program({
        argv: conversation?.argv ?? argv(turn.mode, thread),
        cwd: options.cwd,
        env: { ...env(turn.mode), CHORUS_TEAM_MODE: turn.mode },
      })
      running = program
      turn.heard({ pid: program.child.pid })
      const stop = () => void program.stop()
      turn.signal.addEventListener("abort", stop)
      if (conversation !== undefined) {
        const began = (id: string) => turn.heard({ thread: (thread = id) })
        const { cwd, model } = options
        try {
          return await conversation.turn({ program, turn, text, cwd, thread, model, began })
        } finally {
          turn.signal.removeEventListener("abort", stop)
          program.child.stdin.end()
          await program.stop()
        }
      }
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
      program.child.stdin.end(text)
      try {
        const code = await program.ended
        if (failure !== undefined || code !== 0) throw agentFailed(failure ?? program.howEnded(name))
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

/**
 * Codex without a terminal: its app-server where it may ask, else `codex exec`, and `codex exec resume` on its thread. A type that
 * only looks never leaves its sandbox, also not when it asks.
 */
export function codexDriver(options: AgentOptions): Driver {
  const reach = reachOf(options)
  return turnProgramDriver(options, {
    name: "Codex",
    env: () => options.env,
    argv: (mode, thread) => codexArgv(options, mode, thread),
    hear: codexHears,
    asking: (mode) =>
      reach === "look"
        ? undefined
        : {
            argv: [options.program ?? "codex", "app-server", ...toolsFlag(options.tools), ...codexFlags(mode, reach)],
            turn: codexTurn,
          },
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
  const { type, text, command, status } = (event["item"] ?? {}) as Readonly<Record<string, string | undefined>>
  if (event["type"] === "item.started" && command !== undefined) return { line: command }
  if (event["type"] === "item.completed" && isRefused(status)) return { line: `failed: ${command ?? type}` }
  return event["type"] === "item.completed" && type === "agent_message" ? { said: text ?? "" } : {}
}

function toolsIn(mode: TeamPermissionMode, { tools }: AgentOptions): TeamTools {
  return mode === "plan" ? planningTools(tools) : tools
}

function toolsFlag({ command, args, env }: TeamTools): string[] {
  const server = `{command=${toml(command)},args=[${args.map(toml).join(",")}],env={${Object.entries(env)
    .map(([key, value]) => `${key}=${toml(value)}`)
    .join(",")}},default_tools_approval_mode="approve",required=true,startup_timeout_sec=60}`
  return ["-c", `mcp_servers.team=${server}`]
}

function codexArgv(options: AgentOptions, mode: TeamPermissionMode, thread: string | undefined): string[] {
  return [
    options.program ?? "codex",
    "exec",
    ...(thread === undefined ? [] : ["resume", thread]),
    "--json",
    "--skip-git-repo-check",
    ...toolsFlag(toolsIn(mode, options)),
    ...codexFlags(mode, reachOf(options)),
    ...(options.model === undefined ? [] : ["-m", options.model]),
    "-",
  ]
}

/** A JSON string is a TOML basic string, but for the delete character. */
function toml(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f")
}

/** OpenCode without a terminal: `opencode acp` where it may ask, else `opencode run`, on one session. */
export function opencodeDriver(options: AgentOptions): Driver {
  let own: OpencodePermission | undefined
  const terms = (mode: TeamPermissionMode) => opencodeTerms(mode, reachOf(options), own)
  return turnProgramDriver(options, {
    name: "OpenCode",
    async prepare(mode, signal) {
      if (mode !== "plan" && mode !== "bypassPermissions") own ??= await ownPermission(options, signal)
    },
    env: (mode) => ({
      ...options.env,
      OPENCODE_CONFIG_CONTENT: configOf(options, terms(mode), toolsIn(mode, options)),
    }),
    argv: (mode, session) => opencodeArgv(options, terms(mode), session),
    hear: opencodeHears,
    asking: (mode) => ({
      argv: [options.program ?? "opencode", "acp"],
      turn: (asking) => opencodeTurn(asking, terms(mode).agent),
    }),
  })
}

/** What its person allows and denies, from all the files that OpenCode reads; nothing where it does not say. */
async function ownPermission(
  { program = "opencode", cwd, env }: AgentOptions,
  signal: AbortSignal,
): Promise<OpencodePermission> {
  const run = promisify(execFile)(program, ["debug", "config"], { cwd, env, signal, timeout: CONFIG_MS })
  const config = await run.then(
    ({ stdout }) => jsonLine(stdout),
    () => undefined,
  )
  return (config?.["permission"] as OpencodePermission | undefined) ?? {}
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
    state?: { status?: string; input?: Record<string, unknown> }
  }
  const said = event["type"] === "text" ? part.text : undefined
  return {
    ...(event["type"] === "tool_use"
      ? { line: `${isRefused(part.state?.status) ? "failed: " : ""}${toolLine(part.tool, part.state?.input)}` }
      : {}),
    ...(event["type"] === "step_finish"
      ? { costUsd: part.cost ?? 0, tokens: (part.tokens?.input ?? 0) + (part.tokens?.output ?? 0) }
      : {}),
    ...(typeof event["sessionID"] === "string" ? { thread: event["sessionID"] } : {}),
    ...(said === undefined ? {} : { said }),
    ...(event["type"] === "error" ? { failure: JSON.stringify(event["error"]) } : {}),
  }
}

/** Adds our server and the member's terms to whatever configuration was already handed over this way. */
function configOf(options: AgentOptions, { permission, agent }: OpencodeTerms, tools: TeamTools): string {
  const given = jsonLine(options.env["OPENCODE_CONFIG_CONTENT"] ?? "") ?? {}
  const bound = (of: unknown) => {
    const rules = (of as { permission?: unknown } | undefined)?.permission
    // One word is a rule for everything.
    return {
      permission: { ...(typeof rules === "string" ? { "*": rules } : (rules as object | undefined)), ...permission },
    }
  }
  const agents = given["agent"] as Record<string, object> | undefined
  const { command, args, env } = tools
  const mcp = {
    ...(given["mcp"] as object | undefined),
    team: { type: "local", command: [command, ...args], environment: env, enabled: true },
  }
  return JSON.stringify({
    ...given,
    ...(options.model === undefined ? {} : { model: options.model }),
    mcp,
    ...(Object.keys(permission).length === 0 ? {} : bound(given)),
    ...(agent === undefined
      ? {}
      : { agent: { ...agents, [agent]: { ...agents?.[agent], ...bound(agents?.[agent]) } } }),
  })
}
