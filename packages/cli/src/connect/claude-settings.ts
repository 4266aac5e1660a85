import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"

type Settings = Record<string, unknown>

/** Where Claude Code keeps what is its own. */
export function claudeFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return environment["CLAUDE_CONFIG_DIR"] ?? join(homedir(), ".claude")
}

/** Sets (or with undefined removes) environment variables for every session of Claude Code; everything else in its settings stays. */
export function setEnvironment(folder: string, variables: Readonly<Record<string, string | undefined>>): void {
  const path = join(folder, "settings.json")
  const { env, ...settings } = readSettings(path)
  const kept = Object.entries({ ...(env as Record<string, string> | undefined), ...variables }).filter(([, value]) => value !== undefined)
  if (env === undefined && kept.length === 0) return
  const changed = kept.length === 0 ? settings : { ...settings, env: Object.fromEntries(kept) }
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.tmp`
  // It may hold a key.
  writeFileSync(temporary, `${JSON.stringify(changed, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, path)
}

/** Claude Code keeps copies of plugins for two weeks after they are gone; ours go at once. */
export function removeCopies(folder: string, marketplace: string): void {
  rmSync(join(folder, "plugins", "cache", marketplace), { recursive: true, force: true })
}

function readSettings(path: string): Settings {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    return {}
  }
  try {
    return JSON.parse(text) as Settings
  } catch {
    throw new ChorusError("bad_settings", `${path} is not valid JSON, so it was left as it is.`, { status: 409, next: "Mend the file and run this again." })
  }
}
