import { rmSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type ExecutableSurface } from "@chorus/contracts"
import { satisfies } from "semver"
import type { PluginContext } from "../context.ts"
import { contentHash } from "../fetch/tree.ts"
import { isNetworkError, trusting } from "../fetch/network.ts"
import { executableSurface } from "../govern/surface.ts"
import type { Catalogue, CatalogueEntry } from "../marketplace/catalogue.ts"
import { readInventory, type Inventory } from "../read/inventory.ts"
import { isObject, own } from "../read/files.ts"
import { readPlugin, type Plugin } from "../read/plugin.ts"
import { readKnown } from "../state/records.ts"
import { copyFromCache, findCached } from "./cache.ts"
import { type Fetched, fetchPlugin, type TagChoice } from "./fetch-plugin.ts"
import { versionOf } from "./version.ts"

/** A plugin that was fetched and read, and is not installed yet. */
export interface StagedPlugin {
  readonly id: string
  readonly entry: CatalogueEntry
  readonly catalogue: Catalogue
  readonly folder: string
  readonly plugin: Plugin
  readonly inventory: Inventory
  readonly version: string
  readonly resolvedVersion: string | undefined
  readonly fetched: Fetched
  readonly contentHash: string
  readonly surface: ExecutableSurface
  readonly fromCache: boolean
  readonly notes: readonly string[]
}

/** Fetches and reads a plugin into `folder`. Without a network, what the cache holds of the same source stands in. */
export async function stagePlugin(
  context: PluginContext,
  catalogue: Catalogue,
  entry: CatalogueEntry,
  folder: string,
  tag?: TagChoice,
): Promise<StagedPlugin> {
  const id = `${entry.name}@${catalogue.name}`
  if (entry.problem !== undefined)
    throw new ChorusError("error_validation", `The entry of "${id}" cannot be used: ${entry.problem}`, {
      next: "Tell the marketplace's owner.",
    })
  const { fetched, fromCache } = await fetchOrReuse(scoped(context, catalogue), catalogue, entry, folder, id, tag)
  const plugin = readStaged(folder, entry, id)
  const inventory = readInventory(plugin)
  const hash = contentHash(folder)
  const manifestVersion = plugin.version
  return {
    id,
    entry,
    catalogue,
    folder,
    plugin,
    inventory,
    version: versionOf({
      source: entry.source,
      manifestVersion,
      commit: fetched.commit,
      archiveDigest: fetched.archiveDigest,
      contentHash: hash,
      tagVersion: tag?.version,
    }),
    resolvedVersion: tag?.version,
    fetched,
    contentHash: hash,
    surface: executableSurface(plugin, inventory, entry.source),
    fromCache,
    notes: checkEngine(context, id, plugin, fetched),
  }
}

/** Throws when the files are no longer those that were read and shown: consent was given for these bytes alone. */
export function expectUnchanged(staged: StagedPlugin): void {
  const now = contentHash(staged.folder)
  const inPlace = staged.fetched.inPlace
  if (now === staged.contentHash && (inPlace === undefined || sameFolder(inPlace, staged.contentHash))) return
  throw new ChorusError(
    "changed_after_consent",
    `${staged.id} changed while it was being installed. Nothing was installed.`,
    { status: 409, next: "Look at what it does now and install it again." },
  )
}

async function fetchOrReuse(
  context: PluginContext,
  catalogue: Catalogue,
  entry: CatalogueEntry,
  folder: string,
  id: string,
  tag: TagChoice | undefined,
): Promise<{ fetched: Fetched; fromCache: boolean }> {
  try {
    return { fetched: await fetchPlugin(context, catalogue, entry, folder, tag), fromCache: false }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    const cached = isNetworkError(error) ? findCached(context.home, id, entry.source) : undefined
    if (cached === undefined) throw error
    copyFromCache(cached, folder)
    return { fetched: { commit: cached.commit, archiveDigest: cached.archiveDigest }, fromCache: true }
  }
}

/** An unloadable manifest is the plugin's fault, not the machine's; say which plugin. */
function readStaged(folder: string, entry: CatalogueEntry, id: string): Plugin {
  try {
    return readPlugin(folder, entry.data)
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    if (error.code === "manifests_conflict") return readPlugin(folder)
    throw new ChorusError(error.code, `${id}: ${error.message}`, { next: error.next, details: error.details })
  }
}

function checkEngine(context: PluginContext, id: string, plugin: Plugin, fetched: Fetched): string[] {
  const engines = own(plugin.manifest, "engines")
  const range = isObject(engines) ? own(engines, "claude-code") : undefined
  if (typeof range !== "string" || context.claudeVersion === undefined || satisfies(context.claudeVersion, range))
    return []
  const needs = `${id} needs Claude Code ${range}, this is ${context.claudeVersion}`
  if (fetched.inPlace !== undefined) return [`${needs}; it loads anyway because it is read from a local folder.`]
  throw new ChorusError("engine_unsatisfied", `${needs}.`, {
    status: 409,
    next: "Update Claude Code, or install an older version of the plugin.",
  })
}

/** The host a marketplace was added from may also serve its plugins. */
function scoped(context: PluginContext, catalogue: Catalogue): PluginContext {
  const source = readKnown(context.home).get(catalogue.name)?.origin
  const url =
    source?.source === "git" || source?.source === "url" || source?.source === "archive" ? source.url : undefined
  return url === undefined ? context : { ...context, network: trusting(context.network, url) }
}

function sameFolder(folder: string, hash: string): boolean {
  try {
    return contentHash(folder) === hash
  } catch {
    return false
  }
}

export function stagePath(parent: string, id: string): string {
  return join(parent, id.replaceAll(/[^A-Za-z0-9._-]/g, "-"))
}
