import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { readJson } from "@chorus/disk"
import { boardTrust } from "../connect/codex-hooks.ts"
import { isExecutable } from "../launch/programs.ts"
import { isRecord } from "../line/index.ts"
import type { StatusCheck } from "./status-checks.ts"

const NAME = "codex board"
const AGAIN = "Run `chorus connect codex` again."

/**
 * Whether Codex will run the hooks through which the board hears of its sessions. It passes over a hook that it does not trust
 * without a word. Nothing is said where Codex is not connected.
 */
export function codexBoardChecks(env: Readonly<Record<string, string | undefined>>): StatusCheck[] {
  const home = env["CODEX_HOME"] ?? join(env["HOME"] ?? homedir(), ".codex")
  const path = join(home, "hooks.json")
  if (!existsSync(path)) return []
  try {
    const { program, all, untrusted, off } = boardTrust(
      path,
      readFileSync(path, "utf8"),
      textOf(join(home, "config.toml")),
    )
    if (all.length === 0) return []
    if (program === undefined || !isExecutable(program))
      return [{ name: NAME, ok: false, found: `the hook program ${program ?? ""} is not there any more`, fix: AGAIN }]
    if (untrusted.length > 0)
      return [
        {
          name: NAME,
          ok: false,
          found: `Codex does not trust ${untrusted.length} of the board's ${all.length} hooks and passes over them: ${untrusted.join(", ")}`,
          fix: `${AGAIN.slice(0, -1)}, or choose "Trust all" when Codex asks about its hooks.`,
        },
      ]
    if (off.length > 0)
      return [
        {
          name: NAME,
          ok: false,
          found: `switched off in Codex: ${off.join(", ")}`,
          fix: "Switch them on again with /hooks in Codex.",
        },
      ]
    return [{ name: NAME, ok: true, found: `connected; Codex trusts the board's ${all.length} hooks` }]
  } catch {
    return [
      {
        name: NAME,
        ok: false,
        found: `${path} cannot be read as a file of hooks`,
        fix: `Mend it or move it away. ${AGAIN}`,
      },
    ]
  }
}

/**
 * Whether Claude Code has the plugin switched on and the key that goes with it. Nothing is said where it is not
 * connected.
 */
export function claudeBoardChecks(env: Readonly<Record<string, string | undefined>>): StatusCheck[] {
  const home = env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? homedir(), ".claude")
  const settings = textOf(join(home, "settings.json"))
  const plugin = /"(chorus(?:-legacy)?)@chorus-plugins"\s*:\s*(true|false)/.exec(settings)
  if (plugin === null) return []
  const name = "claude board"
  if (plugin[2] === "false")
    return [
      {
        name,
        ok: false,
        found: `the plugin ${plugin[1]} is switched off`,
        fix: "Switch it on with /plugin in Claude Code.",
      },
    ]
  if (!/"cho_[\w-]{43}"/.test(`${settings}${textOf(join(home, ".credentials.json"))}`))
    return [
      {
        name,
        ok: false,
        found: `the plugin ${plugin[1]} has no key`,
        fix: "Run `chorus connect claude` again.",
      },
    ]
  return [{ name, ok: true, found: `connected by the plugin ${plugin[1]}` }]
}

/** Where Claude Code reads settings that no person of this machine can undo. */
const MANAGED =
  process.platform === "darwin"
    ? "/Library/Application Support/ClaudeCode/managed-settings.json"
    : "/etc/claude-code/managed-settings.json"

/**
 * Whether Claude Code runs hooks at all: with `disableAllHooks` it passes over those of a launch without a word. The
 * strongest of its settings that speaks of it counts.
 */
export function claudeHookChecks(
  env: Readonly<Record<string, string | undefined>>,
  { folder = process.cwd(), managed = MANAGED } = {},
): StatusCheck[] {
  const home = env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? homedir(), ".claude")
  const own = [join(folder, ".claude", "settings.local.json"), join(folder, ".claude", "settings.json")]
  for (const path of [managed, ...own, join(home, "settings.json")]) {
    const settings = readJson(path)
    const isOff = isRecord(settings) ? settings["disableAllHooks"] : undefined
    if (typeof isOff !== "boolean") continue
    if (!isOff) return []
    const whose = path === managed ? "; whoever manages this machine can" : ""
    return [
      {
        name: "claude hooks",
        ok: false,
        found: `switched off by "disableAllHooks" in ${path}: its row stays idle, whatever it does`,
        fix: `Remove "disableAllHooks" from that file${whose}, and start Claude Code again.`,
      },
    ]
  }
  return []
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}
