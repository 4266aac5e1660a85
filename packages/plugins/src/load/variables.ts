import type { OptionValue } from "../config/option.ts"

export interface VariableValues {
  readonly pluginRoot: string
  readonly pluginData: string
  readonly projectDir: string
  readonly options: ReadonlyMap<string, OptionValue>
  readonly sensitive: ReadonlySet<string>
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface SubstituteRules {
  /** Text for the model: secrets are not put into it. */
  readonly forModel?: boolean
  /** `${VAR}` and `${VAR:-default}` from the environment, as in MCP configuration. */
  readonly environment?: boolean
}

/** Puts values in the place of `${…}`. What is not known stays as it is written. */
export function substitute(text: string, values: VariableValues, rules: SubstituteRules = {}): string {
  return text.replaceAll(/\$\{([^}]+)\}/g, (written, name: string) => {
    if (name === "CLAUDE_PLUGIN_ROOT") return values.pluginRoot
    if (name === "CLAUDE_PLUGIN_DATA") return values.pluginData
    if (name === "CLAUDE_PROJECT_DIR") return values.projectDir
    if (name.startsWith("user_config.")) return optionText(name.slice(12), written, values, rules)
    return rules.environment === true ? environmentText(name, written, values) : written
  })
}

/** Puts values into every text of a configuration. */
export function substituteDeep<T>(value: T, values: VariableValues, rules: SubstituteRules = {}): T {
  if (typeof value === "string") return substitute(value, values, rules) as T
  if (Array.isArray(value)) return value.map((item: unknown) => substituteDeep(item, values, rules)) as T
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, substituteDeep(item as unknown, values, rules)]),
  ) as T
}

function optionText(key: string, written: string, values: VariableValues, rules: SubstituteRules): string {
  const value = values.options.get(key)
  if (value === undefined) return written
  if (rules.forModel === true && values.sensitive.has(key)) return `[${key} is secret]`
  return Array.isArray(value) ? value.join(",") : String(value)
}

function environmentText(name: string, written: string, values: VariableValues): string {
  const split = name.indexOf(":-")
  const key = split === -1 ? name : name.slice(0, split)
  const value = Object.hasOwn(values.env, key) ? values.env[key] : undefined
  if (value !== undefined && value !== "") return value
  return split === -1 ? written : name.slice(split + 2)
}
