import { readConfiguration, secretStore } from "../config/configure.ts"
import { type OptionValue, pluginOptions } from "../config/option.ts"
import type { PluginContext } from "../context.ts"
import { substituteDeep } from "../load/variables.ts"
import type { JsonObject, Plugin } from "../read/index.ts"
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
