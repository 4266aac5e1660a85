import { existsSync, lstatSync, readdirSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import type { PluginScope } from "@chorus/contracts"

/** Where Claude Code keeps its settings and plugins on this machine, for one project. */
export interface ClaudeHome {
  readonly home: string
  readonly config: string
  readonly plugins: string
  readonly project: string
  /** Settings an administrator set; nobody else may write there. */
  readonly managedSettings: string
  /** Our own records beside Claude's: pins, consents, what the cache holds. */
  readonly chorus: string
}

export function claudeHome(options: { env?: NodeJS.ProcessEnv; project?: string } = {}): ClaudeHome {
  const env = options.env ?? process.env
  const home = env["HOME"] ?? homedir()
  const config = env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude")
  const plugins = env["CLAUDE_CODE_PLUGIN_CACHE_DIR"] ?? join(config, "plugins")
  return {
    home,
    config,
    plugins,
    project: resolve(options.project ?? process.cwd()),
    managedSettings: managedSettings(env),
    chorus: join(plugins, "chorus"),
  }
}

export function settingsPath(home: ClaudeHome, scope: PluginScope): string {
  if (scope === "user") return join(home.config, "settings.json")
  if (scope === "project") return join(home.project, ".claude", "settings.json")
  if (scope === "local") return join(home.project, ".claude", "settings.local.json")
  return home.managedSettings
}

/** Where a folder with a manifest is a plugin without being installed; the user's come first. */
export function skillRoots(home: ClaudeHome): string[] {
  return [join(home.config, "skills"), join(home.project, ".claude", "skills")]
}

/** How many bytes a plugin keeps in its data folder. */
export function dataSize(home: ClaudeHome, id: string): number {
  const folder = dataFolder(home, id)
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (bytes, entry) => bytes + (lstatSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
}

/** A plugin id as a folder name: what is not a letter, digit, `_` or `-` becomes `-`. */
export function foldedId(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_-]/g, "-")
}

export function dataFolder(home: ClaudeHome, id: string): string {
  return join(home.plugins, "data", foldedId(id))
}

export function cacheFolder(home: ClaudeHome, marketplace: string, plugin: string, version: string): string {
  return join(home.plugins, "cache", marketplace, plugin, folderVersion(version))
}

/** A version as a folder name: a version is data from a manifest and must not become a path. */
export function folderVersion(version: string): string {
  const safe = version.replaceAll(/[^A-Za-z0-9._+-]/g, "-")
  return /^\.*$/.test(safe) ? "unknown" : safe.slice(0, 128)
}

/** A variable may name the administrator's file where there is none, never another one instead of it. */
export function managedSettings(env: NodeJS.ProcessEnv, path = managedPath()): string {
  const theirs = existsSync(path) || existsSync(managedFolder(path))
  return theirs ? path : (env["CHORUS_MANAGED_SETTINGS"] ?? path)
}

/** The folder of further files beside the administrator's one. */
export function managedFolder(path: string): string {
  return path.replace(/\.json$/, ".d")
}

function managedPath(): string {
  if (process.platform === "darwin") return "/Library/Application Support/ClaudeCode/managed-settings.json"
  if (process.platform === "win32") return "C:\\Program Files\\ClaudeCode\\managed-settings.json"
  return "/etc/claude-code/managed-settings.json"
}
