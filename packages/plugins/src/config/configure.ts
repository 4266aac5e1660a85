import { ChorusError } from "@chorus/contracts"
import { isObject, isStringArray, type JsonObject } from "../read/json.ts"
import { settingsPath, type ClaudeHome } from "../state/claude-home.ts"
import { changeJsonFile, readJsonFile, section } from "../state/json-file.ts"
import { optionsOf, optionValue, type OptionValue, type PluginOption } from "./option.ts"
import type { SecretStore } from "./secret-store.ts"

export interface Configuration {
  readonly options: readonly PluginOption[]
  readonly values: ReadonlyMap<string, OptionValue>
  readonly unset: readonly PluginOption[]
}

/** The options of a plugin and what they are set to. Sensitive values are told as set, not shown. */
export function readConfiguration(home: ClaudeHome, secrets: SecretStore, id: string, manifest: JsonObject): Configuration {
  const options = optionsOf(manifest)
  const stored = storedOptions(home, id)
  const hidden = options.some((option) => option.sensitive) ? secrets.read(id) : {}
  const values = new Map<string, OptionValue>()
  for (const { key, sensitive } of options) {
    const value = sensitive ? hidden[key] : stored[key]
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || isStringArray(value)) values.set(key, value)
  }
  return { options, values, unset: options.filter(({ key }) => !values.has(key)) }
}

/** Checks all values first, then saves them: sensitive ones in the secret store, the others in user settings. */
export async function configure(home: ClaudeHome, secrets: SecretStore, id: string, manifest: JsonObject, input: Readonly<Record<string, unknown>>): Promise<string[]> {
  const options = new Map(optionsOf(manifest).map((option) => [option.key, option]))
  const plain: Record<string, OptionValue> = {}
  const hidden: Record<string, string> = {}
  for (const [key, given] of Object.entries(input)) {
    const option = options.get(key)
    if (option === undefined) throw new ChorusError("option_unknown", `${id} has no option "${key}".`, { next: options.size === 0 ? "It has no options at all." : `Its options: ${[...options.keys()].join(", ")}.` })
    const value = optionValue(option, given, home.project)
    if (option.sensitive) hidden[key] = Array.isArray(value) ? JSON.stringify(value) : String(value)
    else plain[key] = value
  }
  if (Object.keys(hidden).length > 0) await secrets.change(id, hidden)
  // An option that an update made sensitive may still stand in settings from before.
  const exposed = Object.keys(hidden).filter((key) => Object.hasOwn(storedOptions(home, id), key))
  if (Object.keys(plain).length > 0 || exposed.length > 0) {
    await changeJsonFile(settingsPath(home, "user"), (content) => {
      const stored = section(section(section(content, "pluginConfigs"), id), "options")
      Object.assign(stored, plain)
      for (const key of exposed) delete stored[key]
    })
  }
  return [...Object.keys(plain), ...Object.keys(hidden)]
}

/** Forgets everything a plugin was configured with. */
export async function forgetConfiguration(home: ClaudeHome, secrets: SecretStore, id: string): Promise<void> {
  await changeJsonFile(settingsPath(home, "user"), (content) => {
    if (isObject(content["pluginConfigs"])) delete section(content, "pluginConfigs")[id]
  })
  const known = Object.keys(secrets.read(id))
  if (known.length > 0) await secrets.change(id, Object.fromEntries(known.map((key) => [key, undefined])))
}

function storedOptions(home: ClaudeHome, id: string): JsonObject {
  const merged: Record<string, unknown> = {}
  for (const scope of ["user", "managed"] as const) {
    const configs = readJsonFile(settingsPath(home, scope))["pluginConfigs"]
    const mine = isObject(configs) ? configs[id] : undefined
    const options = isObject(mine) ? mine["options"] : undefined
    if (isObject(options)) Object.assign(merged, options)
  }
  return merged
}
