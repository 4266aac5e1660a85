import { GATING_EVENTS } from "../read/hook-events.ts"
import { isObject, isStringArray, type JsonObject, type JsonPath, own, typeName } from "../read/files.ts"
import { checkEventMap } from "./hooks-check.ts"
import { checkLspServers } from "./lsp-check.ts"
import { checkServers, type OptionKeys } from "./mcp-check.ts"
import { checkPath, checkPaths } from "./path-check.ts"
import type { FindingFile, Report } from "./report.ts"
import { reportUnknown } from "./unknown-field.ts"
import { checkMonitors } from "./user-config-check.ts"

export const COMPONENT_KEYS = [
  "skills",
  "commands",
  "agents",
  "hooks",
  "mcpServers",
  "lspServers",
  "outputStyles",
  "workflows",
  "themes",
  "monitors",
]

interface ComponentContext {
  readonly as: "plugin" | "entry"
  readonly root: string | undefined
}

/** Checks the keys of a manifest that declare components. */
export function checkComponents(
  report: Report,
  file: FindingFile,
  manifest: JsonObject,
  context: ComponentContext,
  at: JsonPath,
): void {
  const root = context.root
  const on = (key: string, check: (value: unknown, path: JsonPath) => void) => {
    if (Object.hasOwn(manifest, key) && manifest[key] !== undefined) check(manifest[key], [...at, key])
  }
  on("skills", (value, path) => checkPaths(report, file, path, value, { root, allowDot: true, only: "directory" }))
  on("commands", (value, path) => checkCommands(report, file, path, value, root))
  on("agents", (value, path) => checkPaths(report, file, path, value, { root, extensions: [".md"], only: "file" }))
  on("hooks", (value, path) => checkHooks(report, file, path, value, context))
  on("mcpServers", (value, path) =>
    checkMcp(report, file, path, value, root, context.as === "plugin" ? optionKeys(manifest) : undefined),
  )
  on("lspServers", (value, path) => checkLsp(report, file, path, value, root))
  on("outputStyles", (value, path) => checkPaths(report, file, path, value, { root }))
  on("workflows", (value, path) => checkPaths(report, file, path, value, { root }))
  for (const key of ["themes", "monitors"]) {
    on(key, (value, path) => {
      if (context.as === "plugin")
        report.warning(file, {
          code: "field_experimental",
          path,
          message: `"${key}" is experimental; at the top level it still loads, but not for long.`,
          fix: `Move it to experimental.${key}.`,
        })
      checkExperimentalPart(report, file, path, key, value, root)
    })
  }
  on("experimental", (value, path) => checkExperimental(report, file, path, value, root))
}

/** The options a plugin declares for all its servers, and those of each channel's server. */
export function optionKeys(manifest: JsonObject): OptionKeys {
  const config = own(manifest, "userConfig")
  const shared = new Set(isObject(config) ? Object.keys(config) : [])
  const channels = own(manifest, "channels")
  const byServer = new Map<string, Set<string>>()
  for (const channel of Array.isArray(channels) ? channels : []) {
    if (!isObject(channel) || typeof channel["server"] !== "string") continue
    const options = isObject(channel["userConfig"]) ? Object.keys(channel["userConfig"]) : []
    byServer.set(channel["server"], new Set([...(byServer.get(channel["server"]) ?? []), ...options]))
  }
  return { shared, byServer }
}

function checkCommands(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  value: unknown,
  root: string | undefined,
): void {
  if (!isObject(value)) {
    checkPaths(report, file, path, value, { root })
    return
  }
  for (const [name, command] of Object.entries(value)) {
    const at = [...path, name]
    if (!isObject(command)) {
      report.error(file, {
        code: "command_invalid",
        path: at,
        message: `A command is an object with "source" or "content"; got ${typeName(command)}.`,
      })
      continue
    }
    const source = own(command, "source")
    const content = own(command, "content")
    if ((source === undefined) === (content === undefined || content === ""))
      report.error(file, {
        code: "command_source",
        path: at,
        message: 'A command has either "source" (a file) or "content" (its text), not both and not neither.',
      })
    if (content !== undefined && typeof content !== "string")
      report.error(file, { code: "command_invalid", path: [...at, "content"], message: "content must be text." })
    if (source !== undefined && typeof source !== "string")
      report.error(file, { code: "command_invalid", path: [...at, "source"], message: "source must be a path." })
    if (typeof source === "string") checkPath(report, file, [...at, "source"], source, { root })
    for (const key of ["description", "argumentHint", "model"])
      if (Object.hasOwn(command, key) && typeof command[key] !== "string")
        report.error(file, { code: "command_invalid", path: [...at, key], message: `${key} must be text.` })
    if (Object.hasOwn(command, "allowedTools") && !isStringArray(command["allowedTools"]))
      report.error(file, {
        code: "command_invalid",
        path: [...at, "allowedTools"],
        message: "allowedTools must be a list of texts.",
      })
  }
}

function checkHooks(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  value: unknown,
  context: ComponentContext,
): void {
  const { root } = context
  if (typeof value === "string") {
    checkPath(report, file, path, value, { root, extensions: [".json"], only: "file" })
    return
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkHooks(report, file, [...path, index], item, context)
    return
  }
  if (!isObject(value))
    return report.error(file, {
      code: "hooks_type",
      path,
      message: `"hooks" is a path, an event map or a list of both; got ${typeName(value)}.`,
    })
  const inner = own(value, "hooks")
  if (isObject(inner)) {
    const level = Object.keys(inner).some((event) => GATING_EVENTS.has(event)) ? "error" : "warning"
    return report[level](file, {
      code: "hooks_wrapped",
      path: [...path, "hooks"],
      message: 'Inside the manifest the events stand directly under "hooks"; a second "hooks" is read as an event.',
      fix: "Remove the inner wrapper.",
    })
  }
  checkEventMap(report, file, path, value, context.as === "entry" ? "entry" : "manifest")
}

const BUNDLE = /\.(mcpb|dxt)$/

function checkMcp(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  value: unknown,
  root: string | undefined,
  options: OptionKeys | undefined,
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkMcp(report, file, [...path, index], item, root, options)
    return
  }
  if (isObject(value)) return checkServers(report, file, path, value, options)
  if (typeof value !== "string")
    return report.error(file, {
      code: "mcp_type",
      path,
      message: `"mcpServers" is a path, a bundle, a map of servers or a list of them; got ${typeName(value)}.`,
    })
  if (/^https?:\/\//.test(value)) {
    if (!URL.canParse(value) || !BUNDLE.test(new URL(value).pathname))
      return report.error(file, {
        code: "mcp_bundle_url",
        path,
        message: "A URL here must lead to a .mcpb or .dxt bundle.",
      })
    report.note(file, {
      code: "runtime_download",
      path,
      message: `${value} is downloaded when the plugin starts; no pin covers it.`,
      fix: "Ship the bundle inside the plugin.",
    })
    return
  }
  checkPath(report, file, path, value, { root, extensions: [".json", ".mcpb", ".dxt"], only: "file" })
}

function checkLsp(report: Report, file: FindingFile, path: JsonPath, value: unknown, root: string | undefined): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkLsp(report, file, [...path, index], item, root)
    return
  }
  if (isObject(value)) return checkLspServers(report, file, path, value)
  if (typeof value !== "string")
    return report.error(file, {
      code: "lsp_type",
      path,
      message: `"lspServers" is a path, a map of servers or a list of both; got ${typeName(value)}.`,
    })
  checkPath(report, file, path, value, { root, extensions: [".json"], only: "file" })
}

function checkExperimental(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  value: unknown,
  root: string | undefined,
): void {
  if (!isObject(value))
    return report.warning(file, {
      code: "field_ignored",
      path,
      message: `"experimental" must be an object; got ${typeName(value)}. It is ignored.`,
    })
  for (const [key, part] of Object.entries(value)) {
    if (key === "themes" || key === "monitors") checkExperimentalPart(report, file, [...path, key], key, part, root)
    else if (key !== "evals") reportUnknown(report, file, [...path, key], ["themes", "monitors", "evals"], "other")
    else if (typeof part !== "string" && !isStringArray(part))
      report.error(file, { code: "path_type", path: [...path, key], message: "evals is a path or a list of paths." })
  }
}

function checkExperimentalPart(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  key: string,
  value: unknown,
  root: string | undefined,
): void {
  if (key === "themes") {
    checkPaths(report, file, path, value, { root })
    return
  }
  if (Array.isArray(value)) return checkMonitors(report, file, path, value)
  if (typeof value !== "string")
    return report.error(file, {
      code: "monitors_type",
      path,
      message: `monitors is a path or a list of monitors; got ${typeName(value)}.`,
    })
  checkPath(report, file, path, value, { root, extensions: [".json"], only: "file" })
}
