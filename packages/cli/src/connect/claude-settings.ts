import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { changeFile, lockNotes, readText } from "@chorus/disk"
import { claudeConfigDir } from "@chorus/teams"

type Settings = Record<string, unknown>

/** Where Claude Code keeps what is its own. */
export function claudeFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return claudeConfigDir(environment)
}

/** Sets (or with undefined removes) environment variables for every session of Claude Code; everything else in its settings stays. */
export async function setEnvironment(
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const path = join(folder, "settings.json")
  const change = (text: string | undefined) => withEnvironment(path, text, variables)
  const now = textIn(path)
  if (change(now) === now) return
  // It may hold a key.
  await changeFile(path, change, { mode: 0o600, notes: lockNotes(folder), noTrace: true })
}

/** What these variables are set to for every session of Claude Code. */
export function environmentIn(folder: string, names: readonly string[]): Record<string, string | undefined> {
  const path = join(folder, "settings.json")
  const { env = {} } = settingsIn(path, textIn(path))
  if (!isRecord(env)) throw badSettings(path, 'its "env" is not an object')
  return Object.fromEntries(
    names.map((name) => {
      const value = env[name]
      return [name, typeof value === "string" ? value : undefined]
    }),
  )
}

function withEnvironment(
  path: string,
  text: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { env = {}, ...settings } = settingsIn(path, text)
  if (!isRecord(env)) throw badSettings(path, 'its "env" is not an object')
  const kept = Object.entries({ ...env, ...variables }).filter(([, value]) => value !== undefined)
  if (JSON.stringify(kept) === JSON.stringify(Object.entries(env))) return text
  const changed = kept.length === 0 ? settings : { ...settings, env: Object.fromEntries(kept) }
  return `${JSON.stringify(changed, null, 2)}\n`
}

/**
 * Claude Code keeps copies of plugins for two weeks after they are gone, and a session that is open makes the folder of
 * a plugin's data again; ours go at once. Whether there was anything.
 */
export function removeCopies(folder: string, marketplace: string, plugins: readonly string[]): boolean {
  const data = plugins.map((plugin) => join(folder, "plugins", "data", `${plugin}-${marketplace}`))
  const left = [join(folder, "plugins", "cache", marketplace), ...data].filter((path) => existsSync(path))
  for (const path of left) rmSync(path, { recursive: true, force: true })
  return left.length > 0
}

/** A file that is there but cannot be read is not taken for an empty one: it would be lost when it is written. */
function textIn(path: string): string | undefined {
  try {
    return readText(path)
  } catch (error) {
    throw badSettings(path, `it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`)
  }
}

function settingsIn(path: string, text: string | undefined): Settings {
  const settings = text === undefined ? {} : parsed(text)
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
