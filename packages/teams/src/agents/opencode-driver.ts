import type { TeamPermissionMode } from "@chorus/contracts"
import type { Driver } from "../runtime/driver.ts"
import type { AgentOptions } from "./claude-driver.ts"
import { jsonLine } from "./program.ts"
import { type Heard, turnProgramDriver } from "./turn-program.ts"

/** OpenCode without a terminal: `opencode run` for each turn, on one session. */
export function opencodeDriver(options: AgentOptions): Driver {
  const env = { ...options.env, OPENCODE_CONFIG_CONTENT: configOf(options) }
  return turnProgramDriver(options, {
    name: "OpenCode",
    env,
    argv: (mode, session) => argvOf(options, mode, session),
    hear,
  })
}

function argvOf(options: AgentOptions, mode: TeamPermissionMode, session: string | undefined): string[] {
  return [
    options.program ?? "opencode",
    "run",
    "--format",
    "json",
    ...(session === undefined ? [] : ["--session", session]),
    ...(mode === "plan" ? ["--agent", "plan"] : []),
    ...(mode === "bypassPermissions" || mode === "acceptEdits" ? ["--auto"] : []),
    ...(options.model === undefined ? [] : ["--model", options.model]),
  ]
}

function hear(event: Record<string, unknown>): Heard {
  const said = event["type"] === "text" ? (event["part"] as { text?: string } | undefined)?.text : undefined
  return {
    ...(typeof event["sessionID"] === "string" ? { thread: event["sessionID"] } : {}),
    ...(said === undefined ? {} : { said }),
    ...(event["type"] === "error" ? { failure: JSON.stringify(event["error"]) } : {}),
  }
}

/** Adds our server to whatever configuration was already handed over this way. */
function configOf(options: AgentOptions): string {
  const given = jsonLine(options.env["OPENCODE_CONFIG_CONTENT"] ?? "") ?? {}
  const { command, args, env } = options.tools
  const mcp = {
    ...(given["mcp"] as object | undefined),
    team: { type: "local", command: [command, ...args], environment: env, enabled: true },
  }
  return JSON.stringify({ ...given, mcp })
}
