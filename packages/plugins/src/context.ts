import { join } from "node:path"
import { networkPolicy, type NetworkPolicy, type Progress } from "./fetch/index.ts"
import { claudeHome, type ClaudeHome } from "./state/index.ts"

/** Everything a plugin operation needs from outside: where things lie, the network, the time, whom to tell. */
export interface PluginContext {
  readonly home: ClaudeHome
  readonly network: NetworkPolicy
  readonly env: NodeJS.ProcessEnv
  readonly now: () => Date
  readonly progress?: Progress | undefined
  /** The version of Claude Code plugins are meant for; ranges in `engines` are compared with it. */
  readonly claudeVersion?: string | undefined
}

export function pluginContext(options: Partial<PluginContext> & { project?: string } = {}): PluginContext {
  const env = options.env ?? process.env
  return {
    home: options.home ?? claudeHome({ env, ...(options.project === undefined ? {} : { project: options.project }) }),
    network: options.network ?? networkPolicy(env),
    env,
    now: options.now ?? (() => new Date()),
    progress: options.progress,
    claudeVersion: options.claudeVersion ?? env["CHORUS_CLAUDE_VERSION"],
  }
}

export function downloadsFolder(context: PluginContext): string {
  return join(context.home.plugins, "cache", ".chorus-downloads")
}
