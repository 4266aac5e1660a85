import type { TeamPermissionMode } from "@chorus/contracts"
import type { Driver } from "../runtime/driver.ts"
import type { AgentOptions } from "./claude-driver.ts"
import { type Heard, turnProgramDriver } from "./turn-program.ts"

/** Codex without a terminal: `codex exec` for the first turn, `codex exec resume` on its thread for the others. */
export function codexDriver(options: AgentOptions): Driver {
  return turnProgramDriver(options, {
    name: "Codex",
    env: options.env,
    argv: (mode, thread) => argvOf(options, mode, thread),
    hear,
  })
}

function hear(event: Record<string, unknown>): Heard {
  if (event["type"] === "thread.started") return { thread: String(event["thread_id"]) }
  if (event["type"] === "turn.failed")
    return { failure: (event["error"] as { message?: string } | undefined)?.message ?? "unknown" }
  const item =
    event["type"] === "item.completed" ? (event["item"] as { type?: string; text?: string } | undefined) : undefined
  return item?.type === "agent_message" ? { said: item.text ?? "" } : {}
}

function argvOf(options: AgentOptions, mode: TeamPermissionMode, thread: string | undefined): string[] {
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
