import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { isObject, isStringArray, isStringMap, type JsonObject, objectField, own } from "../read/index.ts"
import {
  changeJsonFile,
  type ClaudeHome,
  type MutableJson,
  readJsonFile,
  readSettings,
  section,
  settingsPath,
} from "../state/index.ts"
import { optionValue, type OptionValue, type PluginOption } from "./option.ts"

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
    const mine = objectField(objectField(readSettings(home, scope), "pluginConfigs"), id)
    return server === undefined ? objectField(mine, "options") : objectField(objectField(mine, "mcpServers"), server)
  })
  return Object.assign({}, ...scopes) as JsonObject
}

/** Secrets of a plugin, kept away from settings. An owner is a plugin's id, or `<id>/<server>` for a bundle inside it. */
export interface SecretStore {
  readonly read: (owner: string) => Record<string, string>
  /** Those that keep something for a plugin. */
  readonly owners: (id: string) => string[]
  readonly change: (owner: string, values: Readonly<Record<string, string | undefined>>) => Promise<void>
}

/** The keychain where the system has one that Claude Code uses too, otherwise `.credentials.json`, readable by its owner alone. */
export function secretStore(home: ClaudeHome, env: NodeJS.ProcessEnv = process.env): SecretStore {
  return process.platform === "darwin" && env["CHORUS_SECRETS"] !== "file" ? keychain() : credentialsFile(home)
}

function credentialsFile(home: ClaudeHome): SecretStore {
  const path = join(home.config, ".credentials.json")
  return {
    read: (owner) => secretsIn(readJsonFile(path), owner),
    owners: (id) => ownersIn(readJsonFile(path), id),
    change: (owner, values) =>
      changeJsonFile(home, path, (content) => changeIn(content, owner, values), { mode: 0o600 }),
  }
}

const SERVICE = "Claude Code-credentials"

/** The macOS keychain entry Claude Code keeps as one JSON document. The secret goes through standard input, never through arguments. */
function keychain(): SecretStore {
  const account = process.env["USER"] ?? "user"
  const readAll = (): Record<string, unknown> => {
    try {
      const value = JSON.parse(
        execFileSync("security", ["find-generic-password", "-a", account, "-s", SERVICE, "-w"], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        }),
      ) as unknown
      return isObject(value) ? { ...value } : {}
    } catch {
      return {}
    }
  }
  return {
    read: (owner) => secretsIn(readAll(), owner),
    owners: (id) => ownersIn(readAll(), id),
    change(owner, values) {
      const content = readAll()
      changeIn(content, owner, values)
      const hex = Buffer.from(JSON.stringify(content)).toString("hex")
      execFileSync("security", ["-i"], {
        input: `add-generic-password -U -a "${account}" -s "${SERVICE}" -X "${hex}"\n`,
        stdio: ["pipe", "ignore", "ignore"],
      })
      return Promise.resolve()
    },
  }
}

function secretsIn(content: JsonObject, owner: string): Record<string, string> {
  const mine = own(objectField(content, "pluginSecrets"), owner)
  return isStringMap(mine) ? { ...mine } : {}
}

function ownersIn(content: JsonObject, id: string): string[] {
  return Object.keys(objectField(content, "pluginSecrets")).filter(
    (owner) => owner === id || owner.startsWith(`${id}/`),
  )
}

function changeIn(content: MutableJson, owner: string, values: Readonly<Record<string, string | undefined>>): void {
  const secrets = section(content, "pluginSecrets")
  const mine = section(secrets, owner)
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) delete mine[key]
    else mine[key] = value
  }
  if (Object.keys(mine).length === 0) delete secrets[owner]
  if (Object.keys(secrets).length === 0) delete content["pluginSecrets"]
}
