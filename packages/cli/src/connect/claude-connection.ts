import { join } from "node:path"
import { readJson } from "@chorus/disk"

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

/** What lies at that place of a file that may hold anything. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (typeof found === "object" && found !== null ? Reflect.get(found, key) : undefined),
    value,
  )
}
