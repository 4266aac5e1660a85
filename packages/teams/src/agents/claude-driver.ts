import { ChorusError, type TeamPermissionMode } from "@chorus/contracts"
import { toolWords } from "@chorus/core"
import type { Driver, Turn } from "../runtime/driver.ts"
import { toolFlags } from "./claude-flags.ts"
import { fieldsOf, textOf } from "./conversation.ts"
import { claudeFlags } from "./permission-table.ts"
import { requireKeepsToPlan } from "./plan-keeping.ts"
import { jsonLine, Program } from "./program.ts"
import { type TeamTools, teamBriefing } from "./team-tools.ts"

export interface AgentOptions {
  /** The program itself; `claude`, `codex` or `opencode` on the PATH when left out. */
  readonly program?: string | undefined
  readonly team: string
  readonly name: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly tools: TeamTools
  readonly model?: string | undefined
  readonly prompt?: string | undefined
  readonly allowedTools?: readonly string[] | undefined
  readonly disallowedTools?: readonly string[] | undefined
  /** The conversation to go on with. */
  readonly thread?: string | undefined
  /** Restricts the built-in tools, from the agent's type. */
  readonly onlyTools?: readonly string[] | undefined
}

/**
 * Claude Code without a terminal: one process that is fed turn by turn, restarted on its session when it ended or the
 * mode changed.
 */
export function claudeDriver(options: AgentOptions): Driver {
  let session = options.thread
  let running: { program: Program; mode: TeamPermissionMode; spent: number } | undefined
  return {
    decidesInTurn: true,
    planTool: "ExitPlanMode",
    plansByToolAlone: true,
    async turn(turn) {
      if (running !== undefined && running.mode !== turn.mode) await running.program.stop()
      if (
        running === undefined ||
        running.mode !== turn.mode ||
        running.program.child.exitCode !== null ||
        running.program.child.signalCode !== null
      ) {
        if (turn.mode === "plan") requireKeepsToPlan(options.program ?? "claude", options, "headless")
        running = {
          program: new Program({
            argv: argvOf(options, turn.mode, session),
            cwd: options.cwd,
            env: { ...options.env, CHORUS_TEAM_MODE: turn.mode },
          }),
          mode: turn.mode,
          spent: 0,
        }
        turn.heard({ pid: running.program.child.pid })
      }
      const now = running
      const { program } = now
      const stop = () => void program.stop()
      turn.signal.addEventListener("abort", stop)
      try {
        const result = resultOf(program, (event) => {
          if (typeof event["session_id"] === "string") session = event["session_id"]
          // It counts from its own start.
          const cost = event["total_cost_usd"]
          turn.heard({
            ...signOf(event),
            thread: session,
            ...(typeof cost === "number" ? { costUsd: cost - now.spent } : {}),
          })
          if (typeof cost === "number") now.spent = cost
        })
        program.child.stdin.write(
          `${JSON.stringify({ type: "user", message: { role: "user", content: [{ type: "text", text: turn.text }] } })}\n`,
        )
        return await result
      } finally {
        turn.signal.removeEventListener("abort", stop)
      }
    },
    async close() {
      await running?.program.stop()
    },
  }
}

function argvOf(options: AgentOptions, mode: TeamPermissionMode, session: string | undefined): string[] {
  const servers = {
    mcpServers: {
      team: {
        type: "stdio",
        command: options.tools.command,
        args: options.tools.args,
        env: { ...options.tools.env, CHORUS_TEAM_MODE: mode },
      },
    },
  }
  return [
    options.program ?? "claude",
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--mcp-config",
    JSON.stringify(servers),
    "--append-system-prompt",
    teamBriefing(options),
    // Its own tool of that name writes into a team that nobody is in.
    ...claudeTerms({ ...options, disallowedTools: [...(options.disallowedTools ?? []), "SendMessage"] }, mode),
    "--permission-prompt-tool",
    "mcp__team__AskPermission",
    ...toolFlags({ allowedTools: ["mcp__team", ...(options.allowedTools ?? [])] }),
    ...(options.model === undefined ? [] : ["--model", options.model]),
    ...(session === undefined ? [] : ["--resume", session]),
  ]
}

type Tools = Pick<AgentOptions, "onlyTools" | "disallowedTools">

/** What binds it: its mode, and the tools of its type. */
export function claudeTerms(type: Tools, mode: TeamPermissionMode): string[] {
  const { onlyTools, disallowedTools } = mode === "plan" ? planning(type) : type
  return [
    ...claudeFlags(mode),
    ...toolFlags({ disallowedTools }),
    ...(onlyTools === undefined ? [] : ["--tools", onlyTools.join(",")]),
  ]
}

/**
 * A plan is written into a file and handed in with a tool; what may be written besides, plan mode says. Commands it
 * would judge itself.
 */
function planning({ onlyTools, disallowedTools = [] }: Tools): Tools {
  return {
    onlyTools: onlyTools === undefined ? undefined : [...onlyTools, "Write", "ExitPlanMode"],
    disallowedTools: [...disallowedTools.filter((tool) => tool !== "Write"), "Bash"],
  }
}

type Sign = Parameters<Turn["heard"]>[0]

interface Block {
  readonly type?: string
  readonly text?: string
  readonly name?: string
  readonly input?: Record<string, unknown>
  readonly is_error?: boolean
  readonly content?: unknown
}

/** What an event of its stream tells people: words, or a tool and what it is used on. */
function signOf(event: Record<string, unknown>): Sign {
  if (event["type"] === "result") {
    const usage = event["usage"] as Record<string, unknown> | undefined
    const counts = ["input_tokens", "output_tokens"].map((name) => Number(usage?.[name] ?? 0))
    return { tokens: counts.reduce((sum, count) => sum + count, 0) }
  }
  const content = fieldsOf(event["message"])["content"]
  const blocks = Array.isArray(content) ? (content as Block[]) : []
  if (event["type"] === "user") {
    const fault = blocks.findLast(({ type, is_error }) => type === "tool_result" && is_error === true)
    return fault === undefined ? {} : { line: `failed: ${firstLineOf(fault.content)}` }
  }
  if (event["type"] !== "assistant") return {}
  const told = blocks.findLast(({ type }) => type === "text" || type === "tool_use")
  return { line: told?.type === "text" ? told.text : told === undefined ? undefined : toolLine(told.name, told.input) }
}

function firstLineOf(content: unknown): string {
  const [first] = Array.isArray(content) ? content : [{ text: content }]
  return textOf(fieldsOf(first)["text"]).trim().split("\n")[0] ?? ""
}

/** A tool in use, for people: its name and the one thing it is about. */
export function toolLine(name = "a tool", input?: unknown): string {
  return toolWords(name, input).split("\n")[0] ?? name
}

function resultOf(program: Program, onEvent: (event: Record<string, unknown>) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    program.lines((line) => {
      const event = jsonLine(line)
      if (event === undefined) return
      onEvent(event)
      if (event["type"] !== "result") return
      const text = typeof event["result"] === "string" ? event["result"] : ""
      if (event["is_error"] === true)
        reject(new ChorusError("agent_failed", text || String(event["subtype"]), { status: 502 }))
      else resolve(text)
    })
    program.ended.then(
      () => reject(new ChorusError("program_failed", program.howEnded("Claude Code"), { status: 502 })),
      reject,
    )
  })
}
