import type { StatusAgent } from "@chorus/contracts"
import { claudeArguments } from "../claude/settings-flag.ts"
import { codexArguments } from "../codex/hook-flags.ts"
import { openCodeConfigContent } from "../opencode/config-content.ts"
import type { StatusPrograms } from "./programs.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** One launch of an agent: exactly what is run, with what added to the environment. */
export interface LaunchPlan {
  args: readonly string[]
  env: Record<string, string>
  /** Why this launch reports nothing, when it does not. */
  unreported: string | undefined
}

export interface LaunchRequest {
  agent: StatusAgent
  args: readonly string[]
  env: Environment
  programs: StatusPrograms
  socketPath: string
  terminalId: string
  place?: { terminal?: string | undefined; tab?: string | undefined; once?: boolean }
  /** The agent's version, when it can be told without starting it. */
  version?: string | undefined
}

/** What a launch adds for this run alone; nothing of the agent's configuration is touched. */
export function planLaunch(request: LaunchRequest): LaunchPlan {
  const { agent, place, programs, terminalId } = request
  const env = {
    CHORUS_SOCK: request.socketPath,
    CHORUS_TERMINAL_ID: terminalId,
    CHORUS_AGENT: agent,
    CHORUS_TERMINAL: place?.terminal ?? "",
    CHORUS_TAB: place?.tab ?? "",
    CHORUS_ONCE: place?.once === true ? "1" : "",
    CHORUS_AGENT_VERSION: request.version ?? "",
    ...(agent === "codex" && programs.oscReader !== undefined ? { CHORUS_OSC_READER: programs.oscReader } : {}),
  }
  if (agent === "opencode") {
    const content = openCodeConfigContent(request.env["OPENCODE_CONFIG_CONTENT"], programs.opencodePlugin)
    if (request.args.includes("--pure"))
      return unreported(request, "OpenCode was started with --pure, which loads no plugins")
    if (content === undefined) return unreported(request, "OPENCODE_CONFIG_CONTENT is not JSON")
    return { args: request.args, env: { ...env, OPENCODE_CONFIG_CONTENT: content }, unreported: undefined }
  }
  const args =
    agent === "claude"
      ? claudeArguments(request.args, programs.emitter, { version: request.version })
      : codexArguments(request.args, programs.emitter)
  if (args === undefined)
    return unreported(request, "this sub-command has no session of its own, or its settings cannot be read")
  return { args, env, unreported: undefined }
}

function unreported({ args }: LaunchRequest, reason: string): LaunchPlan {
  return { args, env: {}, unreported: reason }
}
