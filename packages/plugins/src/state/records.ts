import { join } from "node:path"
import { InstalledPlugin, KnownMarketplace, MarketplaceSource } from "@chorus/contracts"
import { isObject, type JsonObject } from "../read/files.ts"
import type { ClaudeHome } from "./claude-home.ts"
import { changeJsonFile, readJsonFile, section, type MutableJson } from "./json-file.ts"

export function knownPath(home: ClaudeHome): string {
  return join(home.plugins, "known_marketplaces.json")
}

export function installedPath(home: ClaudeHome): string {
  return join(home.plugins, "installed_plugins.json")
}

/** A known marketplace. `source` is what Claude Code is told, `origin` where it really comes from: it knows no archives and refuses its whole file over one. */
export type Marketplace = KnownMarketplace & { readonly origin: MarketplaceSource }

/** The marketplaces this machine knows. An entry that cannot be read is left out, never the others. */
export function readKnown(home: ClaudeHome): Map<string, Marketplace> {
  const known = new Map<string, Marketplace>()
  const origins = readJsonFile(originsPath(home))
  for (const [name, value] of Object.entries(readJsonFile(knownPath(home)))) {
    const parsed = KnownMarketplace.safeParse(value)
    const origin = MarketplaceSource.safeParse(origins[name])
    if (parsed.success) known.set(name, { ...parsed.data, origin: origin.success ? origin.data : parsed.data.source })
  }
  return known
}

/** Remembers where a marketplace really comes from; undefined forgets it. */
export async function setOrigin(home: ClaudeHome, name: string, origin: MarketplaceSource | undefined): Promise<void> {
  if (origin === undefined && readJsonFile(originsPath(home))[name] === undefined) return
  await changeJsonFile(home, originsPath(home), (content) => {
    if (origin === undefined) delete content[name]
    else content[name] = origin
  })
}

function originsPath(home: ClaudeHome): string {
  return join(home.chorus, "origins.json")
}

export async function changeKnown(home: ClaudeHome, change: (known: MutableJson) => void): Promise<void> {
  await changeJsonFile(home, knownPath(home), change)
}

/** What is installed: id → one record for each scope and project. Version 1 kept a single record for each id. */
export function readInstalled(home: ClaudeHome): Map<string, InstalledPlugin[]> {
  return installedIn(readJsonFile(installedPath(home)))
}

/** Changes the records of one plugin under the lock; an empty list removes it. */
export async function changeInstalled(
  home: ClaudeHome,
  id: string,
  change: (records: InstalledPlugin[]) => InstalledPlugin[],
): Promise<void> {
  await changeJsonFile(home, installedPath(home), (content) => {
    const plugins = section(content, "plugins")
    for (const [other, value] of Object.entries(plugins)) if (!Array.isArray(value)) plugins[other] = recordsOf(value)
    content["version"] = 2
    const foreign = recordsOf(plugins[id]).filter((record) => !InstalledPlugin.safeParse(record).success)
    const after = [...change(installedIn(content).get(id) ?? []), ...foreign]
    if (after.length === 0) delete plugins[id]
    else plugins[id] = after
  })
}

/** Gives the records of one id to another in one write; what the other has already stays. Without another they are dropped. */
export async function moveInstalled(home: ClaudeHome, from: string, to: string | undefined): Promise<void> {
  if (!readInstalled(home).has(from)) return
  await changeJsonFile(home, installedPath(home), (content) => {
    const plugins = section(content, "plugins")
    if (to !== undefined && !Object.hasOwn(plugins, to)) plugins[to] = plugins[from]
    delete plugins[from]
  })
}

/** Whether a record counts in the project we are in. */
export function appliesHere(home: ClaudeHome, record: InstalledPlugin): boolean {
  return record.projectPath === undefined || record.projectPath === home.project
}

function installedIn(content: JsonObject): Map<string, InstalledPlugin[]> {
  const plugins = content["plugins"]
  const found = new Map<string, InstalledPlugin[]>()
  for (const [id, value] of Object.entries(isObject(plugins) ? plugins : {})) {
    const records = recordsOf(value).flatMap((record) => {
      const parsed = InstalledPlugin.safeParse(record)
      return parsed.success ? [parsed.data] : []
    })
    if (records.length > 0) found.set(id, records)
  }
  return found
}

/** The records of an id, whichever version of the file they stand in. */
function recordsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return isObject(value) ? [{ scope: "user", ...value }] : []
}
