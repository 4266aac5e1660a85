import { isObject, isStringArray, type JsonObject, type JsonPath, own, typeName } from "../read/files.ts"
import type { FindingFile, Report } from "./report.ts"

const KNOWN = new Set([
  "type",
  "title",
  "description",
  "required",
  "default",
  "options",
  "multiple",
  "sensitive",
  "min",
  "max",
])
export const OPTION_TYPES = ["string", "number", "boolean", "directory", "file"] as const

/** Checks the options a plugin asks the user for. Each is a strict object. */
export function checkUserConfig(report: Report, file: FindingFile, path: JsonPath, config: unknown): void {
  if (!isObject(config))
    return report.error(file, {
      code: "user_config_type",
      path,
      message: `userConfig maps keys to options; got ${typeName(config)}.`,
    })
  for (const [key, option] of Object.entries(config)) {
    const at = [...path, key]
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key))
      report.error(file, {
        code: "user_config_key",
        path: at,
        message: `"${key}" cannot be an option: letters, digits and "_", not starting with a digit.`,
      })
    if (isObject(option)) checkOption(report, file, at, option)
    else
      report.error(file, {
        code: "user_config_option",
        path: at,
        message: `An option is an object; got ${typeName(option)}.`,
      })
  }
}

function checkOption(report: Report, file: FindingFile, path: JsonPath, option: JsonObject): void {
  const fail = (key: string, message: string, fix?: string) =>
    report.error(file, { code: "user_config_option", path: [...path, key], message, fix })
  for (const key of Object.keys(option))
    if (!KNOWN.has(key)) fail(key, `Unknown key "${key}" in an option.`, `Known keys: ${[...KNOWN].join(", ")}.`)
  if (!OPTION_TYPES.includes(own(option, "type") as never))
    fail("type", `type must be one of ${OPTION_TYPES.join(", ")}.`)
  for (const key of ["title", "description"])
    if (typeof own(option, key) !== "string") fail(key, `An option needs a ${key}.`)
  for (const key of ["required", "multiple", "sensitive"])
    if (Object.hasOwn(option, key) && typeof option[key] !== "boolean") fail(key, `${key} must be true or false.`)
  for (const key of ["min", "max"])
    if (Object.hasOwn(option, key) && typeof option[key] !== "number") fail(key, `${key} must be a number.`)
  const standard = own(option, "default")
  if (
    Object.hasOwn(option, "default") &&
    !["string", "number", "boolean"].includes(typeof standard) &&
    !isStringArray(standard)
  )
    fail("default", `default must be text, a number, true/false or a list of texts; got ${typeName(standard)}.`)
  if (Object.hasOwn(option, "options")) checkChoices(option, fail)
}

function checkChoices(option: JsonObject, fail: (key: string, message: string) => void): void {
  const choices = option["options"]
  if (!isStringArray(choices)) return fail("options", "options is a list of texts.")
  if (choices.length === 0) return fail("options", "options needs at least one value.")
  if (option["type"] !== "string" || option["multiple"] === true || option["sensitive"] === true)
    fail("options", "options works for plain string options only, neither multiple nor sensitive.")
  if (choices.some((choice) => choice.length < 1 || choice.length > 64))
    fail("options", "Each choice has 1 to 64 characters.")
  if (new Set(choices.map((choice) => choice.toLowerCase())).size < choices.length)
    fail("options", "A choice is listed twice.")
  const standard = own(option, "default")
  if (standard === undefined && option["required"] !== true)
    fail("default", "An option with choices needs a default among them, or required: true.")
  if (standard !== undefined && !choices.includes(standard as string))
    fail("default", `default must be one of: ${choices.join(", ")}.`)
}

/** Channels are strict too; each names the MCP server that carries it. */
export function checkChannels(report: Report, file: FindingFile, at: JsonPath, channels: unknown): void {
  if (!Array.isArray(channels))
    return report.error(file, {
      code: "channels_type",
      path: at,
      message: `channels is a list; got ${typeName(channels)}.`,
    })
  for (const [index, channel] of channels.entries()) {
    const path = [...at, index]
    if (!isObject(channel)) {
      report.error(file, {
        code: "channel_invalid",
        path,
        message: `A channel is an object; got ${typeName(channel)}.`,
      })
      continue
    }
    if (typeof channel["server"] !== "string" || channel["server"] === "")
      report.error(file, {
        code: "channel_invalid",
        path: [...path, "server"],
        message: "A channel names its MCP server.",
      })
    if (Object.hasOwn(channel, "displayName") && typeof channel["displayName"] !== "string")
      report.error(file, {
        code: "channel_invalid",
        path: [...path, "displayName"],
        message: "displayName must be text.",
      })
    for (const key of Object.keys(channel))
      if (!["server", "displayName", "userConfig"].includes(key))
        report.error(file, {
          code: "channel_invalid",
          path: [...path, key],
          message: `Unknown key "${key}" in a channel.`,
        })
    if (Object.hasOwn(channel, "userConfig"))
      checkUserConfig(report, file, [...path, "userConfig"], channel["userConfig"])
  }
}

export function checkMonitors(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  monitors: readonly unknown[],
  level: "error" | "warning" = "error",
): void {
  const names = new Set<unknown>()
  const fail = (at: JsonPath, message: string) => report[level](file, { code: "monitor_invalid", path: at, message })
  for (const [index, monitor] of monitors.entries()) {
    const at = [...path, index]
    if (!isObject(monitor)) {
      fail(at, `A monitor is an object; got ${typeName(monitor)}.`)
      continue
    }
    for (const key of ["name", "command", "description"])
      if (typeof monitor[key] !== "string" || monitor[key] === "") fail([...at, key], `A monitor needs a ${key}.`)
    for (const key of Object.keys(monitor))
      if (!["name", "command", "description", "when"].includes(key))
        fail([...at, key], `Unknown key "${key}" in a monitor.`)
    const when = own(monitor, "when")
    if (when !== undefined && when !== "always" && !(typeof when === "string" && /^on-skill-invoke:./.test(when)))
      fail([...at, "when"], 'when is "always" or "on-skill-invoke:<skill>".')
    if (names.has(monitor["name"])) fail([...at, "name"], `Two monitors are called "${String(monitor["name"])}".`)
    names.add(monitor["name"])
  }
}
