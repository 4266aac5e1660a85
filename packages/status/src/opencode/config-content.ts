import { pathToFileURL } from "node:url"
import { isRecord } from "../line/index.ts"

/**
 * `OPENCODE_CONFIG_CONTENT` with our plugin added to whatever the person has there; plugins from all sources add up, so theirs
 * stay. Nothing when their text cannot be read: OpenCode shall complain about it itself.
 */
export function openCodeConfigContent(current: string | undefined, plugin: string): string | undefined {
  const url = pathToFileURL(plugin).href
  const config = current === undefined || current.trim() === "" ? {} : parse(current)
  if (!isRecord(config)) return undefined
  const plugins = Array.isArray(config["plugin"]) ? config["plugin"].filter((entry) => entry !== url) : []
  return JSON.stringify({ ...config, plugin: [...plugins, url] })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
