import { ChorusError, type TeamPermissionMode } from "@chorus/contracts"
import type { Driver } from "../runtime/driver.ts"
import type { AgentOptions } from "./claude-driver.ts"
import { jsonLine, Program } from "./program.ts"
import { teamBriefing } from "./team-tools.ts"

/** Codex without a terminal: `codex exec` for the first turn, `codex exec resume` on its thread for the others. */
export function codexDriver(options: AgentOptions): Driver {
  let thread: string | undefined
  let running: Program | undefined
  return {
    decidesInTurn: true,
    async turn(turn) {
      const first = thread === undefined
      const program = new Program({ argv: argvOf(options, turn.mode, thread), cwd: options.cwd, env: options.env })
      running = program
      const stop = () => void program.stop()
      turn.signal.addEventListener("abort", stop)
      let said = ""
      let failure: string | undefined
      program.lines((line) => {
        const event = jsonLine(line)
        if (event?.["type"] === "thread.started") thread = String(event["thread_id"])
        const item = event?.["type"] === "item.completed" ? (event["item"] as { type?: string; text?: string } | undefined) : undefined
        if (item?.type === "agent_message") said = item.text ?? ""
        if (event?.["type"] === "turn.failed") failure = (event["error"] as { message?: string } | undefined)?.message ?? "unknown"
      })
      program.child.stdin.end(first ? `${teamBriefing(options)}\n\n${turn.text}` : turn.text)
      try {
        const code = await program.ended
        if (failure !== undefined || code !== 0) throw new ChorusError("agent_failed", failure ?? `Codex ended with ${code ?? "a signal"}: ${program.lastWords}`, { status: 502 })
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

function argvOf(options: AgentOptions, mode: TeamPermissionMode, thread: string | undefined): string[] {
  const { command, args, env } = options.tools
  const server = `{command=${toml(command)},args=[${args.map(toml).join(",")}],env={${Object.entries(env).map(([key, value]) => `${key}=${toml(value)}`).join(",")}},default_tools_approval_mode="approve",required=true,startup_timeout_sec=60}`
  return [
    options.program ?? "codex",
    "exec",
    ...(thread === undefined ? [] : ["resume", thread]),
    "--json", "--skip-git-repo-check", "-c", `mcp_servers.team=${server}`,
    ...sandbox(mode),
    ...(options.model === undefined ? [] : ["-m", options.model]),
    "-",
  ]
}

function sandbox(mode: TeamPermissionMode): string[] {
  if (mode === "bypassPermissions") return ["--dangerously-bypass-approvals-and-sandbox"]
  return ["-c", `sandbox_mode=${toml(mode === "plan" ? "read-only" : "workspace-write")}`]
}

/** A JSON string is a TOML basic string, but for the delete character. */
function toml(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f")
}
