import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { claudeConfigDir } from "@chorus/teams"
import { writeWhole } from "./whole-file.ts"

type Settings = Record<string, unknown>

/** Where Claude Code keeps what is its own. */
export function claudeFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return claudeConfigDir(environment)
}

/** Sets (or with undefined removes) environment variables for every session of Claude Code; everything else in its settings stays. */
export function setEnvironment(folder: string, variables: Readonly<Record<string, string | undefined>>): void {
  const path = join(folder, "settings.json")
  const { env = {}, ...settings } = readSettings(path)
  if (!isRecord(env)) throw badSettings(path, 'its "env" is not an object')
  const kept = Object.entries({ ...env, ...variables }).filter(([, value]) => value !== undefined)
  if (JSON.stringify(kept) === JSON.stringify(Object.entries(env))) return
  const changed = kept.length === 0 ? settings : { ...settings, env: Object.fromEntries(kept) }
  // It may hold a key.
  writeWhole(path, `${JSON.stringify(changed, null, 2)}\n`, 0o600)
}

/** Claude Code keeps copies of plugins for two weeks after they are gone; ours go at once. */
export function removeCopies(folder: string, marketplace: string): void {
  rmSync(join(folder, "plugins", "cache", marketplace), { recursive: true, force: true })
}

/** A file that is there but cannot be read is not taken for an empty one: it would be lost when it is written. */
function readSettings(path: string): Settings {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {}
    throw badSettings(path, `it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`)
  }
  const settings = parsed(text)
  if (isRecord(settings)) return settings
  throw badSettings(path, "it is not valid JSON with settings in it")
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function badSettings(path: string, why: string): ChorusError {
  return new ChorusError("bad_settings", `${path} was left as it is: ${why}.`, {
    status: 409,
    next: "Mend the file and run this again.",
  })
}
