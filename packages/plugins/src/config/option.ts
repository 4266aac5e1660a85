import { existsSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { resolve } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { isObject, isStringArray, type JsonObject, own, type Plugin, readServers } from "../read/index.ts"

export type OptionValue = string | number | boolean | string[]

/** One thing a plugin, or an MCP bundle inside it, asks its user for. */
export interface PluginOption {
  /** What people call it: for an option of a bundle `<server>.<field>`. */
  readonly key: string
  readonly field: string
  /** The server of the bundle that asks for it. */
  readonly server: string | undefined
  readonly type: "string" | "number" | "boolean" | "directory" | "file"
  readonly title: string
  readonly description: string
  readonly required: boolean
  readonly sensitive: boolean
  readonly multiple: boolean
  readonly choices: readonly string[] | undefined
  readonly default: OptionValue | undefined
  readonly min: number | undefined
  readonly max: number | undefined
}

/** Everything a plugin may be asked for: its own options, its channels' and those of the bundles it ships. */
export function pluginOptions(plugin: Plugin): PluginOption[] {
  const { bundles } = readServers(plugin, "mcpServers", ".mcp.json", () => undefined)
  return [
    ...optionsOf(plugin.manifest),
    ...bundles.flatMap(({ server }) => (server === undefined ? [] : optionsIn(server.userConfig, server.name))),
  ]
}

/** The options of a plugin: its own, and those its channels declare. */
export function optionsOf(manifest: JsonObject): PluginOption[] {
  const channels = own(manifest, "channels")
  const maps = [
    own(manifest, "userConfig"),
    ...(Array.isArray(channels) ? channels : []).map((channel) =>
      isObject(channel) ? own(channel, "userConfig") : undefined,
    ),
  ]
  const options = new Map<string, PluginOption>()
  for (const option of maps.flatMap((map) => (isObject(map) ? optionsIn(map) : [])))
    if (!options.has(option.key)) options.set(option.key, option)
  return [...options.values()]
}

function optionsIn(map: JsonObject, server?: string): PluginOption[] {
  return Object.entries(map).flatMap(([field, value]) => (isObject(value) ? [optionOf(field, value, server)] : []))
}

function optionOf(field: string, value: JsonObject, server: string | undefined): PluginOption {
  const number = (name: string) => (typeof value[name] === "number" ? value[name] : undefined)
  const standard = own(value, "default")
  return {
    key: server === undefined ? field : `${server}.${field}`,
    field,
    server,
    type: ["number", "boolean", "directory", "file"].includes(String(value["type"]))
      ? (value["type"] as PluginOption["type"])
      : "string",
    title: typeof value["title"] === "string" ? value["title"] : field,
    description: typeof value["description"] === "string" ? value["description"] : "",
    required: value["required"] === true,
    sensitive: value["sensitive"] === true,
    multiple: value["multiple"] === true,
    choices: isStringArray(value["options"]) ? value["options"] : undefined,
    default:
      typeof standard === "string" ||
      typeof standard === "number" ||
      typeof standard === "boolean" ||
      isStringArray(standard)
        ? standard
        : undefined,
    min: number("min"),
    max: number("max"),
  }
}

/** Turns what a person typed (or a program gave) into the value of an option. Throws `option_refused` with the reason. */
export function optionValue(option: PluginOption, input: unknown, cwd: string = process.cwd()): OptionValue {
  if (option.multiple) return severalValues(option, input, cwd)
  if (option.type === "number") return numberValue(option, input)
  if (option.type === "boolean") return booleanValue(option, input)
  if (typeof input !== "string" && typeof input !== "number" && typeof input !== "boolean")
    throw refused(option, "it takes text.")
  const text = String(input)
  if (option.required && text === "") throw refused(option, "it is required.")
  if (option.choices !== undefined && !option.choices.includes(text))
    throw refused(option, `it must be one of: ${option.choices.join(", ")}.`)
  if (option.type === "directory" || option.type === "file") return pathValue(option, text, cwd)
  return text
}

function severalValues(option: PluginOption, input: unknown, cwd: string): string[] {
  const list = isStringArray(input)
    ? input
    : typeof input === "string"
      ? input
          .split(",")
          .map((part) => part.trim())
          .filter(Boolean)
      : undefined
  if (list === undefined) throw refused(option, "it takes several texts.")
  if (option.required && list.length === 0) throw refused(option, "it needs at least one value.")
  return list.map((item) => String(optionValue({ ...option, multiple: false }, item, cwd)))
}

function numberValue(option: PluginOption, input: unknown): number {
  const number =
    typeof input === "number" ? input : typeof input === "string" && input.trim() !== "" ? Number(input) : Number.NaN
  const { min, max } = option
  if (Number.isFinite(number) && number >= (min ?? -Infinity) && number <= (max ?? Infinity)) return number
  if (min !== undefined && max !== undefined) throw refused(option, `it takes a number between ${min} and ${max}.`)
  if (min !== undefined) throw refused(option, `it takes a number from ${min}.`)
  throw refused(option, max === undefined ? "it takes a number." : `it takes a number up to ${max}.`)
}

function booleanValue(option: PluginOption, input: unknown): boolean {
  const word = String(input).toLowerCase()
  if (["true", "1", "yes", "on"].includes(word)) return true
  if (["false", "0", "no", "off"].includes(word)) return false
  throw refused(option, "it must be true or false (or 1/0, yes/no, on/off).")
}

function pathValue(option: PluginOption, text: string, cwd: string): string {
  if (text === "") throw refused(option, `it takes a ${option.type}.`)
  const path = resolve(cwd, text === "~" || text.startsWith("~/") ? `${homedir()}${text.slice(1)}` : text)
  const isRight = existsSync(path) && statSync(path).isDirectory() === (option.type === "directory")
  if (!isRight) throw refused(option, `there is no ${option.type} at ${path}.`)
  return path
}

function refused(option: PluginOption, why: string): ChorusError {
  return new ChorusError("option_refused", `${option.title}: ${why}`, {
    next: option.description === "" ? "Give another value." : option.description,
    details: { option: option.key },
  })
}
