import { rmSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type ExecutableSurface } from "@chorus/contracts"
import { satisfies } from "semver"
import type { PluginContext } from "../context.ts"
import { contentHash, hashOrNone, isNetworkError, trusting } from "../fetch/index.ts"
import { executableSurface } from "../govern/surface.ts"
import type { Catalogue, CatalogueEntry } from "../marketplace/catalogue.ts"
import { type Inventory, isObject, own, type Plugin, readInventory, readPlugin } from "../read/index.ts"
import { readKnown } from "../state/index.ts"
import { copyFromCache, findCached } from "./cache.ts"
import { type Fetched, type FetchFrom, fetchPlugin, type TagChoice } from "./fetch-plugin.ts"
import { foreignAddress, lockedAddress, lockedGone, type LockedIn } from "./locked.ts"
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
  /** The folder of its marketplace that it runs from, where it is not copied. */
  readonly runsFrom: string | undefined
  /** Where it was fetched from on the word of a lock alone. */
  readonly foreign: string | undefined
  readonly notes: readonly string[]
}

/** Fetches and reads a plugin into `folder`. Without a network, what the cache holds of the same source stands in. */
export async function stagePlugin(
  context: PluginContext,
  catalogue: Catalogue,
  entry: CatalogueEntry,
  folder: string,
  { tag, lock }: { tag?: TagChoice | undefined; lock?: LockedIn | undefined } = {},
): Promise<StagedPlugin> {
  const id = `${entry.name}@${catalogue.name}`
  if (entry.problem !== undefined)
    throw new ChorusError("error_validation", `The entry of "${id}" cannot be used: ${entry.problem}`, {
      next: "Tell the marketplace's owner.",
    })
  const from = lock === undefined ? undefined : lockedAddress(context, catalogue, lock)
  const { fetched, fromCache } =
    lock === undefined || from === undefined
      ? await fetchOrReuse(scoped(context, catalogue), catalogue, entry, folder, id, tag)
      : await fetchLocked(scoped(context, catalogue), catalogue, entry, folder, id, lock, from)
  const plugin = readStaged(folder, entry, id)
  const inventory = readInventory(plugin)
  const hash = contentHash(folder)
  const source = lock?.source ?? entry.source
  const manifestVersion = plugin.version
  return {
    id,
    entry: { ...entry, source },
    catalogue,
    folder,
    plugin,
    inventory,
    version:
      lock?.contentHash === hash
        ? lock.version
        : versionOf({
            source,
            manifestVersion,
            commit: fetched.commit,
            archiveDigest: fetched.archiveDigest,
            contentHash: hash,
            tagVersion: tag?.version,
          }),
    resolvedVersion: tag?.version ?? lock?.resolvedVersion,
    fetched,
    contentHash: hash,
    surface: executableSurface(plugin, inventory, source),
    fromCache: fromCache && lock === undefined,
    runsFrom: fetched.inPlace,
    foreign: from === undefined ? undefined : foreignAddress(context, catalogue, entry, from),
    notes: checkEngine(context, id, plugin, fetched),
  }
}

/** Throws when the files are no longer those that were read and shown: consent was given for these bytes alone. */
export function expectUnchanged(staged: StagedPlugin): void {
  const now = contentHash(staged.folder)
  const inPlace = staged.fetched.inPlace
  if (now === staged.contentHash && (inPlace === undefined || hashOrNone(inPlace) === staged.contentHash)) return
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
    const cached = isNetworkError(error) ? findCached(context.home, id, { source: entry.source }) : undefined
    if (cached === undefined) throw error
    copyFromCache(cached, folder)
    return { fetched: cached, fromCache: true }
  }
}

/** Brings the locked bytes and nothing else, whatever the marketplace offers by now. */
async function fetchLocked(
  context: PluginContext,
  catalogue: Catalogue,
  entry: CatalogueEntry,
  folder: string,
  id: string,
  lock: LockedIn,
  from: FetchFrom,
): Promise<{ fetched: Fetched; fromCache: boolean }> {
  const cached = findCached(context.home, id, lock)
  if (cached !== undefined) {
    copyFromCache(cached, folder)
    return { fetched: { ...cached, from }, fromCache: true }
  }
  const fetched = await fetchPlugin(context, catalogue, entry, folder, undefined, from).catch((error: unknown) => {
    if (!(error instanceof ChorusError) || isNetworkError(error)) throw error
    throw lockedGone(id, lock, from, error)
  })
  if (contentHash(folder) !== lock.contentHash) throw lockedGone(id, lock, from)
  return { fetched, fromCache: false }
}

/** An unloadable manifest is the plugin's fault, not the machine's; say which plugin, and not the folder that is gone in a moment. */
function readStaged(folder: string, entry: CatalogueEntry, id: string): Plugin {
  try {
    return readPlugin(folder, entry.data)
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    if (error.code === "manifests_conflict") return readPlugin(folder)
    throw new ChorusError(error.code, `${id}: ${error.message}`, { next: "Tell its author.", details: error.details })
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

export function stagePath(parent: string, id: string): string {
  return join(parent, id.replaceAll(/[^A-Za-z0-9._-]/g, "-"))
}
