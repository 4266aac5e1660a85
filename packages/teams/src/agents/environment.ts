import { mkdirSync, writeFileSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { join } from "node:path"

/** Belongs to the one terminal or session it was made for; a member gets its own. */
const OF_ONE_SESSION =
  /^(TMUX|TMUX_PANE|PWD|OLDPWD|SHLVL|_|TERM_SESSION_ID|CLAUDE_PID|CLAUDE_ENV_FILE|CLAUDE_CODE_(SESSION_ID|MESSAGING_.*|TEAMMATE_COMMAND)|CLAUDE_PLUGIN_.*|CHORUS_TEAM_.*)$/

const EXPORTABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The environment a member starts with: the lead's, without what belongs to the lead's own session. */
export function memberEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && !OF_ONE_SESSION.test(pair[0]),
  )
  return { ...Object.fromEntries(kept), CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" }
}

/**
 * Writes the environment as a script that a member's shell reads first and then removes, as there are keys in it; one that is
 * never read goes with the team. Nobody else can read it. Returns its path.
 */
export function writeShellSnapshot(own: string, env: Readonly<Record<string, string>>, now: number): string {
  const folder = join(own, "shell-snapshots")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `snapshot-sh-${now}-${randomBytes(3).toString("hex")}.sh`)
  writeFileSync(path, shellSnapshot(env), { mode: 0o600, flag: "wx" })
  return path
}

export function shellSnapshot(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .filter(([name, value]) => EXPORTABLE.test(name) && !value.includes("\0"))
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`)
    .join("")
}
