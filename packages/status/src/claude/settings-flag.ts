import { readFileSync } from "node:fs"
import { isOlder } from "../launch/version.ts"
import { isRecord } from "../line/index.ts"

/** Events that tell something about the state, known to every client since February 2026. */
const EVENTS = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "Notification",
  "Stop",
  "SubagentStart",
  "PreCompact",
] as const
/** Newer ones. A client that does not know an event's name drops all hooks of its source without a word, until this version. */
const NEWER_EVENTS = ["PermissionDenied", "StopFailure", "PostCompact", "Elicitation", "ElicitationResult"] as const
const FORGIVING_SINCE = "2.1.257"

/** One turn without its screen. */
const PRINTS = /^(-c?p|--print|--output-format(=.*)?)$/

const AWAIT_SECONDS = 24 * 3600

/** Sub-commands have their own options and no session to follow. */
const SUBCOMMANDS = new Set([
  "agents",
  "attach",
  "auth",
  "auto-mode",
  "config",
  "doctor",
  "gateway",
  "import",
  "install",
  "logs",
  "mcp",
  "migrate-installer",
  "plugin",
  "plugins",
  "purge",
  "remote-control",
  "respawn",
  "rm",
  "setup-token",
  "stop",
  "kill",
  "ultrareview",
  "update",
  "upgrade",
])
/** With the last one it prints what every hook does, and would print ours. */
const PASS_THROUGH_OPTIONS = new Set(["-h", "--help", "-v", "--version", "--remote-control", "--include-hook-events"])

/** The hooks of one launch, in the form of Claude Code's settings. An unknown version is taken for a current one. */
export function claudeHookSettings(
  emitter: string,
  { version, prints = false }: { version?: string | undefined; prints?: boolean } = {},
): { hooks: Record<string, unknown[]> } {
  // With `args` the program is started directly, without a shell in between.
  const handler = { type: "command", command: emitter, args: [], timeout: 3 }
  const isCurrent = version === undefined || !isOlder(version, FORGIVING_SINCE)
  const known = isCurrent ? [...EVENTS, ...NEWER_EVENTS] : EVENTS
  // Where it prints for a program it tells of the hooks of this one too; its prompt, which is there already, says as much.
  const events = prints ? known.filter((event) => event !== "SessionStart") : known
  // This one waits beside the dialog for an answer from elsewhere; whichever comes first counts.
  const waiting = { ...handler, args: ["await"], timeout: AWAIT_SECONDS }
  const handlerOf = (event: string) => (event === "PermissionRequest" && isCurrent ? waiting : handler)
  return { hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [handlerOf(event)] }]])) }
}

/**
 * The arguments for a launch that reports its status: our hooks through `--settings`, together with the person's own when
 * they give some. `CLAUDE_CONFIG_DIR` stays as it is, because the login is bound to it. Nothing when this launch is better
 * left alone: a sub-command, or settings we cannot read and Claude Code shall complain about itself.
 */
export function claudeArguments(
  args: readonly string[],
  emitter: string,
  options: { version?: string | undefined; readFile?: (path: string) => string } = {},
): string[] | undefined {
  if (args.some((arg) => PASS_THROUGH_OPTIONS.has(arg)) || SUBCOMMANDS.has(args[0] ?? "")) return undefined
  const ours = claudeHookSettings(emitter, { version: options.version, prints: args.some((arg) => PRINTS.test(arg)) })
  // Of several the last one counts for Claude Code.
  const index = args.findLastIndex((arg) => arg === "--settings" || arg.startsWith("--settings="))
  if (index === -1) return ["--settings", JSON.stringify(ours), ...args]
  const joined = args[index]?.startsWith("--settings=") === true
  const value = joined ? args[index]?.slice("--settings=".length) : args[index + 1]
  const theirs = readSettings(value, options.readFile ?? readText)
  if (theirs === undefined) return undefined
  return [
    ...args.slice(0, index),
    "--settings",
    JSON.stringify(mergeHooks(theirs, ours)),
    ...args.slice(index + (joined ? 1 : 2)),
  ]
}

function mergeHooks(
  theirs: Record<string, unknown>,
  ours: { hooks: Record<string, unknown[]> },
): Record<string, unknown> {
  const hooks: Record<string, unknown> = isRecord(theirs["hooks"]) ? { ...theirs["hooks"] } : {}
  for (const [event, groups] of Object.entries(ours.hooks)) {
    const known = hooks[event]
    hooks[event] = Array.isArray(known) ? [...known, ...groups] : groups
  }
  return { ...theirs, hooks }
}

function readSettings(
  value: string | undefined,
  readFile: (path: string) => string,
): Record<string, unknown> | undefined {
  if (value === undefined) return undefined
  try {
    const settings: unknown = JSON.parse(value.trimStart().startsWith("{") ? value : readFile(value))
    return isRecord(settings) ? settings : undefined
  } catch {
    return undefined
  }
}

function readText(path: string): string {
  return readFileSync(path, "utf8")
}
