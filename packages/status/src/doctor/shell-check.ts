import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { controllingTerminal } from "../launch/terminal-identity.ts"
import { SHELLS } from "../launch/shims.ts"
import { environmentOf, type ProcessTable } from "../watch/process-table.ts"
import type { StatusCheck } from "./status-checks.ts"

type Environment = Readonly<Record<string, string | undefined>>

const START_UP_FILES = [".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile", ".zshenv"]

/** What a start-up file of the person's shell says of us and should not; one without a word of it is not spoken of. */
export function startUpChecks(env: Environment): StatusCheck[] {
  const home = env["HOME"] ?? homedir()
  const fish = join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "fish", "config.fish")
  return [...START_UP_FILES.map((name) => join(home, name)), fish].flatMap((path) => {
    const lines = linesOf(path).filter((line) => !line.startsWith("#"))
    const shell = SHELLS.find((name) => path.includes(name)) ?? (path.includes(".zs") ? "zsh" : "bash")
    const found = lines.map((line) => faultIn(line)).find((fault) => fault !== undefined)
    if (found === undefined) return []
    const again = `Replace that line by what \`chorus shell-init ${shell} --file\` prints.`
    return [
      { name: "start-up file", ok: false, found: `${path} ${found}`, fix: found.startsWith("sets") ? UNSET : again },
    ]
  })
}

const UNSET = "Take that line out: Chorus tells terminals apart by itself."

function faultIn(line: string): string | undefined {
  if (/\bCHORUS_TERMINAL_ID\b/.test(line) && !/^(unset|set -e)\b/.test(line))
    return "sets CHORUS_TERMINAL_ID, so that all terminals share one row"
  if (/\bshell-init\b/.test(line) && !line.includes("--file")) return "starts Node for every shell"
  const file = /'([^']+\/init\.(?:bash|zsh|fish))'/.exec(line)?.[1]
  return file?.includes("/shims-") === true && !existsSync(file) ? `reads ${file}, which is gone` : undefined
}

/**
 * A name for this terminal that whoever opened the terminal has too, as a tmux server that was started in a shell with
 * one: each terminal opened from there has it, and they share a row.
 */
export async function inheritedNameCheck(
  env: Environment,
  processes: ProcessTable,
  pid = process.pid,
): Promise<StatusCheck[]> {
  const name = env["CHORUS_TERMINAL_ID"]
  const here = controllingTerminal(pid)?.device
  if (name === undefined || here === undefined) return []
  const parents = new Map((await processes.all()).map((row) => [row.pid, row.parent]))
  let above: number | undefined = pid
  while (above !== undefined && controllingTerminal(above)?.device === here) above = parents.get(above)
  if (above === undefined || (await environmentOf(above))["CHORUS_TERMINAL_ID"] !== name) return []
  return [
    {
      name: "this terminal",
      ok: false,
      found: `process ${above}, which opened it, has its name ${name}; every terminal opened from there shares one row`,
      fix: "unset CHORUS_TERMINAL_ID; in tmux also: tmux set-environment -gu CHORUS_TERMINAL_ID",
    },
  ]
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.trim())
  } catch {
    return []
  }
}
