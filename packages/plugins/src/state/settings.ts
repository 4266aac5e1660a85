import { join } from "node:path"
import type { PluginScope } from "@chorus/contracts"
import { isObject, type JsonObject, listFiles, own } from "../read/files.ts"
import { type ClaudeHome, managedFolder, settingsPath } from "./claude-home.ts"
import { changeJsonFile, readJsonFile, section } from "./json-file.ts"

/** From the weakest to the strongest: the last scope that mentions a plugin decides. */
export const SCOPES: readonly PluginScope[] = ["user", "project", "local", "managed"]

export function readSettings(home: ClaudeHome, scope: PluginScope): JsonObject {
  const path = settingsPath(home, scope)
  return scope === "managed" ? managedParts(path).map(readJsonFile).reduce(merged, {}) : readJsonFile(path)
}

/** The administrator's file and the files in the folder beside it, `managed-settings.d`, by name; later ones add to earlier ones. */
function managedParts(path: string): string[] {
  const folder = managedFolder(path)
  return [
    path,
    ...listFiles(folder, ".json")
      .filter((name) => !/(^|\/)\./.test(name) && !name.includes("/"))
      .map((name) => join(folder, name)),
  ]
}

function merged(before: JsonObject, after: JsonObject): JsonObject {
  return Object.fromEntries([
    ...Object.entries(before),
    ...Object.entries(after).map(([key, value]) => {
      const there = own(before, key)
      if (Array.isArray(there) && Array.isArray(value)) return [key, [...there, ...value]]
      return [key, isObject(there) && isObject(value) ? merged(there, value) : value]
    }),
  ])
}

/** What a scope says about plugins: id → on or off. As for Claude Code, anything else says nothing. */
export function enabledIn(settings: JsonObject): Map<string, boolean> {
  const value = settings["enabledPlugins"]
  return new Map(
    Object.entries(isObject(value) ? value : {}).flatMap(([id, on]) =>
      typeof on === "boolean" ? [[id, on] as const] : [],
    ),
  )
}

export interface Enablement {
  readonly enabled: boolean
  readonly decidedBy: PluginScope
  readonly saidBy: ReadonlyMap<PluginScope, boolean>
}

/** Who says what about every plugin, and which word counts. */
export function readEnablement(home: ClaudeHome): Map<string, Enablement> {
  const merged = new Map<string, Enablement>()
  for (const scope of SCOPES) {
    for (const [id, enabled] of enabledIn(readSettings(home, scope))) {
      const before = merged.get(id)?.saidBy ?? new Map<PluginScope, boolean>()
      merged.set(id, { enabled, decidedBy: scope, saidBy: new Map([...before, [scope, enabled]]) })
    }
  }
  return merged
}

/** Sets plugins on or off in one scope; undefined removes what the scope says. */
export async function setEnabled(
  home: ClaudeHome,
  scope: PluginScope,
  changes: ReadonlyMap<string, boolean | undefined>,
): Promise<void> {
  const said = enabledIn(readSettings(home, scope))
  // A project that never spoke of plugins, or is gone, gets no file because something is removed from it.
  if ([...changes].every(([id, on]) => on === undefined && !said.has(id))) return
  await changeJsonFile(home, settingsPath(home, scope), (content) => {
    const enabled = section(content, "enabledPlugins")
    for (const [id, on] of changes) {
      if (on === undefined) delete enabled[id]
      else enabled[id] = on
    }
  })
}

/** Marketplaces declared in settings, from the weakest scope to the strongest. An older list form is accepted. */
export function declaredMarketplaces(settings: JsonObject): Map<string, JsonObject> {
  const value = settings["extraKnownMarketplaces"] ?? settings["additionalMarketplaces"]
  if (isObject(value))
    return new Map(
      Object.entries(value).flatMap(([name, entry]) =>
        isObject(entry) && isObject(entry["source"]) ? [[name, entry] as const] : [],
      ),
    )
  if (!Array.isArray(value)) return new Map()
  return new Map(
    value.flatMap((item, index) =>
      isObject(item) && typeof item["type"] === "string"
        ? [[listedName(item, index), { source: { ...item, source: item["type"] } }] as const]
        : [],
    ),
  )
}

function listedName(item: JsonObject, index: number): string {
  if (typeof item["name"] === "string") return item["name"]
  const text = item["repo"] ?? item["package"] ?? item["path"] ?? item["url"]
  return typeof text === "string"
    ? (text
        .replace(/\.json$/, "")
        .split("/")
        .findLast(Boolean) ?? `marketplace-${index}`)
    : `marketplace-${index}`
}
