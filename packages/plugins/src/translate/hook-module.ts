import type { HookPart } from "../read/hooks.ts"
import { type Inventory, isStringArray, type Plugin } from "../read/index.ts"
import { type RunnableHook, runHooks } from "./hook-runner.ts"
import type { Translation } from "./report.ts"
import { type KnownValues, optionVariables, processVariables, settled } from "./values.ts"

/** Events that OpenCode has too, and what of an answer does not reach it there. */
const EVENTS = new Map<string, string | undefined>([
  ["SessionStart", undefined],
  ["UserPromptSubmit", undefined],
  ["PreToolUse", "what it wants asked is refused"],
  ["PostToolUse", "not after a tool that failed"],
  ["PreCompact", "it cannot stop it"],
  ["PostCompact", undefined],
  ["Stop", "it cannot make the agent go on"],
])

/** A module that runs a plugin's hooks inside OpenCode, or undefined when none can come along. */
export function hookModule(
  plugin: Plugin,
  { hooks }: Inventory,
  file: string,
  known: KnownValues,
  translation: Translation,
): string | undefined {
  const runnable = hooks.flatMap((hook): RunnableHook[] => {
    const part = `hook ${hook.event}${hook.matcher === undefined ? "" : `(${hook.matcher})`}`
    const { config, open } = settled(hook.handler, plugin.folder, known)
    const why = obstacle(hook, open)
    if (why !== undefined) {
      translation.lose(part, why)
      return []
    }
    translation.carry(part, file, EVENTS.get(hook.event))
    const { command, args, timeout, onFailure } = config
    return [
      {
        event: hook.event,
        matcher: hook.matcher,
        // A shell fills in its own variables, and quotes them as they are written.
        command: String(args === undefined ? hook.handler["command"] : command),
        args: isStringArray(args) ? args : undefined,
        seconds: typeof timeout === "number" ? timeout : hook.event === "UserPromptSubmit" ? 30 : 600,
        blockOnFailure: onFailure === "block",
      },
    ]
  })
  if (runnable.length === 0) return undefined
  const env = { ...processVariables(plugin.folder, known), ...optionVariables(known) }
  const parts = `{ spawn, directory, hooks: ${JSON.stringify(runnable, null, 2)}, env: ${JSON.stringify(env, null, 2)} }`
  return `import { spawn } from "node:child_process"\n\nconst run = ${runHooks.toString()}\n\nexport const Hooks = async ({ directory }) => run(${parts})\n`
}

function obstacle({ event, type, handler, matcher = "" }: HookPart, open: readonly string[]): string | undefined {
  if (!EVENTS.has(event)) return "OpenCode has no such event"
  if (type !== "command") return `OpenCode's module runs commands only, not ${type} hooks`
  if (matcher.includes("mcp__")) return "tools of MCP servers have other names there"
  if (!isPattern(matcher)) return "its matcher is no pattern"
  if (handler["if"] !== undefined) return 'its "if" condition is not kept there, and without it it would run too often'
  if (handler["shell"] === "powershell") return "it is written for PowerShell"
  if (handler["async"] === true || handler["asyncRewake"] === true) return "it runs in the background"
  const option = open.find((name) => name.startsWith("user_config."))
  return option === undefined ? undefined : `its option ${option.slice(12)} is secret or not set`
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text === "*" ? "" : text) instanceof RegExp
  } catch {
    return false
  }
}
