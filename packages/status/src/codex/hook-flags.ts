import { createHash } from "node:crypto"

const EVENTS = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PreCompact",
  "PostCompact",
  "Stop",
  "Interrupt",
  "PreModelRequest",
  "PostModelRequest",
] as const

/** SessionEnd and Interrupt may take no more than three seconds; one number for all keeps the hash simple. */
const TIMEOUT_SECONDS = 3

/** Sub-commands without a session of their own, or whose session lives in a shared background process. */
const SUBCOMMANDS = new Set([
  "agents",
  "login",
  "logout",
  "mcp",
  "plugin",
  "app-server",
  "remote-control",
  "completion",
  "update",
  "doctor",
  "sandbox",
  "debug",
  "apply",
  "a",
  "queue",
  "archive",
  "delete",
  "unarchive",
  "migrate-rollouts",
  "migrate-nfs-db",
  "cloud",
  "exec-server",
  "features",
  "help",
])
const PASS_THROUGH_OPTIONS = new Set(["-h", "--help", "-V", "--version"])

/**
 * The arguments for a launch that reports its status. Hooks and the trust in exactly these handlers are given for this launch
 * alone: no file is written, no question asked, no other hook trusted. Any `-c` also keeps the session in its own process
 * instead of the shared daemon, so that the hooks see this terminal's environment.
 */
export function codexArguments(args: readonly string[], emitter: string): string[] | undefined {
  if (args.some((arg) => PASS_THROUGH_OPTIONS.has(arg)) || SUBCOMMANDS.has(args[0] ?? "")) return undefined
  const command = `exec ${shellQuote(emitter)}`
  const handlers = EVENTS.flatMap((event) => [
    "-c",
    `hooks.${event}=[{hooks=[{type="command",command=${toml(command)},timeout=${TIMEOUT_SECONDS}}]}]`,
  ])
  const trust = EVENTS.map(
    (event) =>
      `${toml(`/<session-flags>/config.toml:${snakeCase(event)}:0:0`)}={trusted_hash=${toml(trustedHash(event, command))}}`,
  )
  return [...handlers, "-c", `hooks.state={${trust.join(",")}}`, ...args]
}

/** The hash Codex compares a handler with: of the handler's configuration, with sorted keys. */
export function trustedHash(event: string, command: string, timeout = TIMEOUT_SECONDS, matcher?: string): string {
  const handler = {
    event_name: snakeCase(event),
    hooks: [{ async: false, command, timeout, type: "command" }],
    ...(matcher === undefined ? {} : { matcher }),
  }
  return `sha256:${createHash("sha256").update(JSON.stringify(handler)).digest("hex")}`
}

export function snakeCase(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A basic TOML string takes JSON's escapes. */
function toml(text: string): string {
  return JSON.stringify(text)
}
