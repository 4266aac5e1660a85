import { ChorusError } from "@chorus/contracts"
import { objectField } from "../read/catalogue.ts"
import { isObject, isStringArray, own, type JsonObject } from "../read/json.ts"
import { settingsPath, type ClaudeHome } from "../state/claude-home.ts"
import { changeJsonFile, readJsonFile, section, type MutableJson } from "../state/json-file.ts"
import { optionValue, type OptionValue, type PluginOption } from "./option.ts"
import type { SecretStore } from "./secret-store.ts"

export interface Configuration {
  readonly options: readonly PluginOption[]
  readonly values: ReadonlyMap<string, OptionValue>
  readonly unset: readonly PluginOption[]
}

/** The options of a plugin and what they are set to. Sensitive values are told as set, not shown. */
export function readConfiguration(
  home: ClaudeHome,
  secrets: SecretStore,
  id: string,
  options: readonly PluginOption[],
): Configuration {
  const values = new Map<string, OptionValue>()
  for (const { key, field, server, sensitive } of options) {
    const stored: JsonObject = sensitive ? secrets.read(secretsOf(id, server)) : storedValues(home, id, server)
    const value = own(stored, field)
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || isStringArray(value))
      values.set(key, value)
  }
  return { options, values, unset: options.filter(({ key }) => !values.has(key)) }
}

/** Checks all values first, then saves them: sensitive ones in the secret store, the others in user settings. */
export async function configure(
  home: ClaudeHome,
  secrets: SecretStore,
  id: string,
  options: readonly PluginOption[],
  input: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const given = Object.entries(input).map(([key, value]) => {
    const option = findOption(options, key)
    if (option === undefined)
      throw new ChorusError("option_unknown", `${id} has no option "${key}".`, {
        next:
          options.length === 0
            ? "It has no options at all."
            : `Its options: ${options.map((one) => one.key).join(", ")}.`,
      })
    return { option, value: kept(option, optionValue(option, value, home.project)) }
  })
  const [plain, hidden] = [
    given.filter(({ option }) => !option.sensitive),
    given.filter(({ option }) => option.sensitive),
  ]
  for (const { option, value } of hidden)
    await secrets.change(secretsOf(id, option.server), { [option.field]: String(value) })
  // An option that an update made sensitive may still stand in settings from before.
  const exposed = hidden.filter(({ option }) => Object.hasOwn(storedValues(home, id, option.server), option.field))
  if (plain.length > 0 || exposed.length > 0) {
    await changeJsonFile(home, settingsPath(home, "user"), (content) => {
      const mine = section(section(content, "pluginConfigs"), id)
      for (const { option, value } of plain) valuesIn(mine, option.server)[option.field] = value
      for (const { option } of exposed) delete valuesIn(mine, option.server)[option.field]
    })
  }
  return [...plain, ...hidden].map(({ option }) => option.key)
}

/** Forgets everything a plugin was configured with. */
export async function forgetConfiguration(home: ClaudeHome, secrets: SecretStore, id: string): Promise<void> {
  await changeJsonFile(home, settingsPath(home, "user"), (content) => {
    if (isObject(content["pluginConfigs"])) delete section(content, "pluginConfigs")[id]
  })
  for (const owner of secrets.owners(id))
    await secrets.change(owner, Object.fromEntries(Object.keys(secrets.read(owner)).map((key) => [key, undefined])))
}

/** By its whole name; a field of a bundle also by itself when only one option is called so. */
function findOption(options: readonly PluginOption[], key: string): PluginOption | undefined {
  const named = options.filter((option) => option.field === key)
  return options.find((option) => option.key === key) ?? (named.length === 1 ? named[0] : undefined)
}

/** As Claude Code reads it back: a bundle, and the secret store, know no lists. */
function kept(option: PluginOption, value: OptionValue): OptionValue {
  if (!Array.isArray(value)) return value
  if (option.server !== undefined) return value.join(",")
  return option.sensitive ? JSON.stringify(value) : value
}

/** Secrets of a bundle are kept apart from the plugin's own. */
function secretsOf(id: string, server: string | undefined): string {
  return server === undefined ? id : `${id}/${server}`
}

function valuesIn(mine: MutableJson, server: string | undefined): MutableJson {
  return server === undefined ? section(mine, "options") : section(section(mine, "mcpServers"), server)
}

function storedValues(home: ClaudeHome, id: string, server: string | undefined): JsonObject {
  const scopes = (["user", "managed"] as const).map((scope) => {
    const mine = objectField(objectField(readJsonFile(settingsPath(home, scope)), "pluginConfigs"), id)
    return server === undefined ? objectField(mine, "options") : objectField(objectField(mine, "mcpServers"), server)
  })
  return Object.assign({}, ...scopes) as JsonObject
}
