import { readConfiguration, secretStore } from "../config/configure.ts"
import { type OptionValue, pluginOptions } from "../config/option.ts"
import type { PluginContext } from "../context.ts"
import { substituteDeep } from "../load/variables.ts"
import { isObject, type JsonObject, type Plugin } from "../read/index.ts"
import { dataFolder } from "../state/index.ts"

/** What is known of a plugin on this machine when it is translated. Secrets are not: they are not written into another program's files. */
export interface KnownValues {
  readonly options: ReadonlyMap<string, OptionValue>
  readonly data: string
}

export const NOTHING_KNOWN: KnownValues = { options: new Map(), data: "${CLAUDE_PLUGIN_DATA}" }

/** The options a person set for a plugin, secrets left out, with the defaults of those they did not. */
export function knownValues(context: PluginContext, id: string, plugin: Plugin): KnownValues {
  const options = pluginOptions(plugin).filter(({ sensitive }) => !sensitive)
  const { values } = readConfiguration(context.home, secretStore(context.home, context.env), id, options)
  const defaults = options.flatMap(({ key, default: value }) => (value === undefined ? [] : [[key, value] as const]))
  return { options: new Map([...defaults, ...values]), data: dataFolder(context.home, id) }
}

/** A configuration with its folders, options and defaults put in, and the names of what is still open. */
export function settled(config: JsonObject, root: string, known: KnownValues): { config: JsonObject; open: string[] } {
  const filled = substituteDeep(
    config,
    {
      pluginRoot: root,
      pluginData: known.data,
      projectDir: "${CLAUDE_PROJECT_DIR}",
      options: known.options,
      sensitive: new Set(),
      env: {},
    },
    { environment: true },
  )
  const open = [...JSON.stringify(filled).matchAll(/\$\{([^}]+)\}/g)].map((match) => match[1] ?? "")
  return { config: filled, open: [...new Set(open)] }
}

/** What Claude Code puts into the environment of what it starts for a plugin. */
export function processVariables(root: string, { data }: KnownValues): Record<string, string> {
  return { CLAUDE_PLUGIN_ROOT: root, ...(data === NOTHING_KNOWN.data ? {} : { CLAUDE_PLUGIN_DATA: data }) }
}

/** Hooks are also given the options. */
export function optionVariables({ options }: KnownValues): Record<string, string> {
  return Object.fromEntries(
    [...options].map(([key, value]) => [
      `CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`,
      Array.isArray(value) ? value.join(",") : String(value),
    ]),
  )
}

/**
 * A server's configuration with its folders, options and defaults put in, and its folders in its environment if it is a
 * program.
 */
export function settledServer(
  written: JsonObject,
  root: string,
  known: KnownValues,
): { config: JsonObject; open: string[] } {
  const { config, open } = settled(written, root, known)
  if (typeof config["command"] !== "string") return { config, open }
  const env = isObject(config["env"]) ? config["env"] : {}
  return { config: { ...config, env: { ...processVariables(root, known), ...env } }, open }
}
