import { existsSync } from "node:fs"
import { join } from "node:path"
import { isLoopbackUrl } from "@chorus/core"
import { readJson } from "@chorus/disk"
import { runningServer } from "@chorus/server/data-directory"
import type { Target } from "../output.ts"

const PLUGINS = ["chorus@chorus-plugins", "chorus-legacy@chorus-plugins"]

export interface ClaudeConnection {
  readonly url: string
  readonly key: string
}

/**
 * With what Claude Code's plugin goes to the board, as connecting left it in its folder; none where the plugin is off,
 * or where the key is not kept in a file.
 */
export function claudeConnection(folder: string): ClaudeConnection | undefined {
  const settings = readJson(join(folder, "settings.json"))
  const plugin = PLUGINS.find((name) => at(settings, "enabledPlugins", name) === true)
  if (plugin === undefined) return undefined
  const secrets = readJson(join(folder, ".credentials.json"))
  const url = at(settings, "pluginConfigs", plugin, "options", "chorus_url") ?? at(settings, "env", "CHORUS_URL")
  const key = at(secrets, "pluginSecrets", plugin, "chorus_api_key") ?? at(settings, "env", "CHORUS_API_KEY")
  return typeof url === "string" && typeof key === "string" ? { url, key } : undefined
}

/** Whether that is another Chorus than this machine's own, which knows nothing of its agents and keys. */
export function isElsewhere({ url }: ClaudeConnection, { data, database }: Target): boolean {
  if (database === undefined && !hasStore(data)) return true
  return !isLoopbackUrl(url) && runningServer(data)?.url !== url
}

/** What connects again to a Chorus that is not this machine's own. */
export function connectingTo({ url }: Pick<ClaudeConnection, "url">): string {
  return `Make a key there, in Settings → Agents and keys, and run \`chorus connect claude --url ${url} --key KEY\``
}

/** A folder in which only the command itself was kept has nothing to look into, and is not made to. */
export function hasStore(data: string): boolean {
  return ["chorus.sqlite", "server.json"].some((name) => existsSync(join(data, name)))
}

/** What lies at that place of a file that may hold anything. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (typeof found === "object" && found !== null ? Reflect.get(found, key) : undefined),
    value,
  )
}
