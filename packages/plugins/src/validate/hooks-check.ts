import { GATING_EVENTS, HANDLER_TYPES, HOOK_EVENTS, type HandlerType } from "../read/hook-events.ts"
import { isObject, isStringArray, isStringMap, type JsonObject, type JsonPath, own, typeName } from "../read/files.ts"
import type { FindingFile, Report } from "./report.ts"

type Fault = string | undefined
type FieldCheck = (value: unknown) => Fault

const text: FieldCheck = (value) => (typeof value === "string" ? undefined : `must be text; got ${typeName(value)}`)
const flag: FieldCheck = (value) =>
  typeof value === "boolean" ? undefined : `must be true or false; got ${typeName(value)}`
const texts: FieldCheck = (value) =>
  isStringArray(value) ? undefined : `must be a list of texts; got ${typeName(value)}`
const textMap: FieldCheck = (value) =>
  isStringMap(value) ? undefined : `must map names to texts; got ${typeName(value)}`
const record: FieldCheck = (value) => (isObject(value) ? undefined : `must be an object; got ${typeName(value)}`)
const url: FieldCheck = (value) => (typeof value === "string" && URL.canParse(value) ? undefined : "must be a full URL")
const positive: FieldCheck = (value) =>
  typeof value === "number" && value > 0 ? undefined : "must be a number above 0, in seconds"
const oneOf =
  (...words: string[]): FieldCheck =>
  (value) =>
    words.includes(value as string) ? undefined : `must be one of ${words.join(", ")}`

const SHARED: Record<string, FieldCheck> = { timeout: positive, if: text, statusMessage: text, once: flag }
const FIELDS: Record<HandlerType, { required: readonly string[]; fields: Record<string, FieldCheck> }> = {
  command: {
    required: ["command"],
    fields: {
      command: text,
      args: texts,
      shell: oneOf("bash", "powershell"),
      async: flag,
      asyncRewake: flag,
      onFailure: oneOf("continue", "block"),
    },
  },
  http: {
    required: ["url"],
    fields: { url, headers: textMap, allowedEnvVars: texts, onFailure: oneOf("continue", "block") },
  },
  mcp_tool: { required: ["server", "tool"], fields: { server: text, tool: text, input: record } },
  prompt: { required: ["prompt"], fields: { prompt: text, model: text, continueOnBlock: flag } },
  agent: { required: ["prompt"], fields: { prompt: text, model: text } },
}

/** Why a hook handler cannot be loaded, or undefined when it can. */
export function handlerFault(handler: unknown): Fault {
  if (!isObject(handler)) return `a hook must be an object; got ${typeName(handler)}`
  const type = own(handler, "type")
  if (type === undefined) return 'the hook has no "type"'
  if (!isHandlerType(type)) return `unknown hook type ${JSON.stringify(type)}`
  const { required, fields } = FIELDS[type]
  for (const [name, check] of Object.entries({ ...fields, ...SHARED })) {
    const value = own(handler, name)
    if (value === undefined && !required.includes(name)) continue
    const fault = value === undefined ? "is missing" : check(value)
    if (fault !== undefined) return `${type} hook: ${name} ${fault}`
  }
  return undefined
}

/** Why a group of hooks cannot be loaded as a whole. */
export function groupFault(group: unknown): Fault {
  if (!isObject(group)) return `a group must be an object with "hooks"; got ${typeName(group)}`
  const matcher = own(group, "matcher")
  if (matcher !== undefined && typeof matcher !== "string") return `matcher must be text; got ${typeName(matcher)}`
  if (!Array.isArray(own(group, "hooks"))) return 'the group needs a list "hooks" with the hooks inside it'
  return undefined
}

/** Where an event map stands: an entry of a marketplace must be right as a whole; quoting is checked in files. */
export type HooksPlace = "file" | "manifest" | "entry"

/** Checks an event map. What guards permissions must load whole; elsewhere a bad entry is only left out. */
export function checkEventMap(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  map: JsonObject,
  place: HooksPlace = "file",
): void {
  for (const [event, groups] of Object.entries(map)) {
    const at = [...path, event]
    if (!HOOK_EVENTS.has(event)) {
      const near = [...HOOK_EVENTS.keys()].find((known) => known.toLowerCase() === event.toLowerCase())
      report[place === "entry" ? "error" : "warning"](file, {
        code: "hook_event_unknown",
        path: at,
        message: `"${event}" is not a hook event; its hooks never run.`,
        fix: near === undefined ? "See the list of hook events." : `Write "${near}".`,
      })
      continue
    }
    const gating = GATING_EVENTS.has(event)
    if (!Array.isArray(groups)) {
      unloadable(
        report,
        file,
        at,
        `${event} must be a list of groups; got ${typeName(groups)}`,
        gating || place === "entry",
      )
      continue
    }
    for (const [index, group] of groups.entries()) checkGroup(report, file, [...at, index], group, event, place)
  }
}

function checkGroup(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  group: unknown,
  event: string,
  place: HooksPlace,
): void {
  const gating = GATING_EVENTS.has(event) || place === "entry"
  const fault = groupFault(group)
  if (fault !== undefined || !isObject(group)) return unloadable(report, file, path, fault ?? "", gating)
  const handlers = own(group, "hooks") as unknown[]
  for (const [index, handler] of handlers.entries()) {
    const at = [...path, "hooks", index]
    const broken = handlerFault(handler)
    if (broken !== undefined || !isObject(handler)) {
      unloadable(report, file, at, broken ?? "", gating)
      continue
    }
    checkQuoting(report, file, at, handler, place)
    checkBeyond(report, file, at, handler, event)
  }
}

/** What the real validator passes and what then never works. */
function checkBeyond(report: Report, file: FindingFile, path: JsonPath, handler: JsonObject, event: string): void {
  const type = handler["type"] as HandlerType
  const runs = HOOK_EVENTS.get(event) ?? HANDLER_TYPES
  if (!runs.includes(type)) {
    report.warning(file, {
      code: "hook_type_never_runs",
      path: [...path, "type"],
      message: `${type} hooks do not run on ${event}.`,
      fix: `Use one of: ${runs.join(", ")}.`,
    })
  }
  const command = own(handler, "command")
  const shellForm = type === "command" && own(handler, "args") === undefined
  if (shellForm && typeof command === "string" && command.includes("${user_config.")) {
    report.note(file, {
      code: "user_config_in_shell",
      path: [...path, "command"],
      message: "A user option is not put into a shell command; the hook fails when it runs.",
      fix: 'Give the command "args", or read CLAUDE_PLUGIN_OPTION_<KEY> from the environment.',
    })
  }
  if (own(handler, "if") !== undefined && !/Tool|Permission/.test(event)) {
    report.note(file, {
      code: "hook_if_never_matches",
      path: [...path, "if"],
      message: `"if" works on tool events only; on ${event} the hook never runs.`,
    })
  }
  const timeout = own(handler, "timeout")
  if (typeof timeout === "number" && timeout >= 1000) {
    report.note(file, {
      code: "hook_timeout_seconds",
      path: [...path, "timeout"],
      message: `timeout is in seconds: ${timeout} is ${Math.round(timeout / 60)} minutes.`,
    })
  }
}

const ROOTS = /\$\{?(CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA|CLAUDE_PROJECT_DIR)\b\}?/y

function checkQuoting(report: Report, file: FindingFile, path: JsonPath, handler: JsonObject, place: HooksPlace): void {
  const command = own(handler, "command")
  if (typeof command !== "string" || own(handler, "args") !== undefined || own(handler, "shell") === "powershell")
    return
  const variable = unquotedRoot(command)
  if (variable === undefined) return
  report[place === "file" ? "warning" : "note"](file, {
    code: "hook_root_unquoted",
    path: [...path, "command"],
    message: `The command uses ${variable} outside quotes; a folder with a space in its name breaks it.`,
    fix: `Write "\${${variable}}/…" in quotes, or use "args".`,
  })
}

/** The first plugin variable in a shell command that no quotes surround. */
export function unquotedRoot(command: string): string | undefined {
  let quote = ""
  for (let index = 0; index < command.length; index += 1) {
    const char = command[index] ?? ""
    if (quote === "" && char === "\\") {
      index += 1
      continue
    }
    if (quote === "" && (char === '"' || char === "'")) quote = char
    else if (char === quote) quote = ""
    if (quote !== "" || char !== "$") continue
    ROOTS.lastIndex = index
    const match = ROOTS.exec(command)
    if (match !== null) return match[1]
  }
  return undefined
}

function unloadable(report: Report, file: FindingFile, path: JsonPath, fault: string, gating: boolean): void {
  if (!gating)
    return report.warning(file, {
      code: "hook_ignored",
      path,
      message: `${capital(fault)}. It is left out, the rest loads.`,
    })
  report.error(file, {
    code: "hook_gating_unloadable",
    path,
    message: `${capital(fault)}. It may guard permissions or must be right as a whole, so nothing beside it loads.`,
  })
}

function isHandlerType(type: unknown): type is HandlerType {
  return HANDLER_TYPES.includes(type as HandlerType)
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
