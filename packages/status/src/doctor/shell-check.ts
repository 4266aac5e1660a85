import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { SHELLS } from "../launch/shims.ts"
import { bareName, controllingTerminal, givenHere } from "../launch/terminal-identity.ts"
import { environmentOf, processTable } from "../watch/process-table.ts"
import type { StatusCheck } from "./status-checks.ts"

type Environment = Readonly<Record<string, string | undefined>>

const START_UP_FILES = [".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile", ".zshenv"]

/** What a start-up file of the person's shell says of us and should not; one without a word of it is not spoken of. */
export function startUpChecks(env: Environment): StatusCheck[] {
  return startUpFiles(env).flatMap((path) => {
    const lines = linesOf(path)
    const shell = SHELLS.find((name) => path.includes(name)) ?? (path.includes(".zs") ? "zsh" : "bash")
    const found = lines.map((line) => faultIn(line)).find((fault) => fault !== undefined)
    if (found === undefined) return []
    const again = `Replace that line by what \`chorus shell-init ${shell} --file\` prints.`
    return [
      { name: "start-up file", ok: false, found: `${path} ${found}`, fix: found.startsWith("sets") ? UNSET : again },
    ]
  })
}

/** A name that is set for all that is opened, as by tmux, is taken for given to each. */
export async function sharedNameChecks(env: Environment): Promise<StatusCheck[]> {
  const name = (await givenHere(env, process.pid))["CHORUS_TERMINAL_ID"]
  if (!name || env["CHORUS_AGENT"] !== undefined) return []
  const here = bareName(controllingTerminal())
  const others = new Set<string>()
  for (const { pid, hasTerminal } of await processTable().all()) {
    const terminal = hasTerminal ? bareName(controllingTerminal(pid)) : undefined
    if (terminal === undefined || terminal === here || others.has(terminal)) continue
    const theirs = await environmentOf(pid)
    if (theirs["CHORUS_TERMINAL_ID"] !== name || theirs["CHORUS_AGENT"] !== undefined) continue
    if ((await givenHere(theirs, pid))["CHORUS_TERMINAL_ID"] === name) others.add(terminal)
  }
  if (others.size === 0) return []
  const found = `CHORUS_TERMINAL_ID is "${name}" here and in ${others.size} more, so that they share one row`
  const fix = "Unset it where it is set for all, such as by `tmux set-environment -gu CHORUS_TERMINAL_ID`."
  return [{ name: "terminal name", ok: false, found, fix }]
}

/** The start-up files that put the wrappers into every shell. */
export function filesWithWrappers(env: Environment): string[] {
  return startUpFiles(env).filter((path) =>
    linesOf(path).some((line) => /\bshell-init\b/.test(line) || initFileIn(line) !== undefined),
  )
}

function startUpFiles(env: Environment): string[] {
  const home = env["HOME"] ?? homedir()
  const fish = join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "fish", "config.fish")
  return [...START_UP_FILES.map((name) => join(home, name)), fish]
}

const UNSET = "Take that line out: Chorus tells terminals apart by itself."

function faultIn(line: string): string | undefined {
  if (/\bCHORUS_TERMINAL_ID\b/.test(line) && !/^(unset|set -e)\b/.test(line))
    return "sets CHORUS_TERMINAL_ID, so that all terminals share one row"
  if (/\bshell-init\b/.test(line) && !line.includes("--file")) return "starts Node for every shell"
  const file = initFileIn(line)
  return file !== undefined && !existsSync(file) ? `reads ${file}, which is gone` : undefined
}

function initFileIn(line: string): string | undefined {
  return /'([^']+\/shims-[^']+\/init\.(?:bash|zsh|fish))'/.exec(line)?.[1]
}

/** Without what is only a comment. */
function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => !line.startsWith("#"))
  } catch {
    return []
  }
}
