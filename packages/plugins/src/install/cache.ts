import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { ChorusError, type InstalledPlugin, type PluginScope } from "@chorus/contracts"
import { lockNotes, withLock } from "@chorus/disk"
import { copyTree, hashOrNone, recoverSwap, swapIn } from "../fetch/index.ts"
import { readPins } from "../govern/lock-file.ts"
import { packagesStanding } from "../govern/packages.ts"
import { errorCode, isObject } from "../read/index.ts"
import {
  appliesHere,
  cacheFolder,
  changeJsonFile,
  type ClaudeHome,
  foldedId,
  readInstalled,
  readJsonFile,
} from "../state/index.ts"
import type { FetchFrom } from "./fetch-plugin.ts"
import type { StagedPlugin } from "./staged.ts"

/** What the cache holds of a plugin and where it came from, so that it can stand in when there is no network. */
export interface CachedVersion {
  readonly path: string
  readonly version: string
  readonly source: string
  readonly contentHash: string
  readonly commit?: string | undefined
  readonly archiveDigest?: string | undefined
  readonly from?: FetchFrom | undefined
}

/** An install copies and hashes whole trees, during which it does not touch its lock; only ours take it. */
const PATIENT = { timeoutMs: 120_000, abandonedAfterMs: 60_000 }

/** One process at a time writes or removes a plugin; its files, pin, record and switch always belong together. */
export function withPluginLock<T>(home: ClaudeHome, id: string, work: () => Promise<T>): Promise<T> {
  const locks = join(home.chorus, "locks")
  mkdirSync(locks, { recursive: true })
  return withLock(join(locks, foldedId(id)), { ...PATIENT, notes: lockNotes(home.config) }, work)
}

/**
 * Moves a staged plugin to its place in the cache, under the plugin's lock. Of two processes, the second finds the work
 * done.
 */
export async function promote(home: ClaudeHome, staged: StagedPlugin, scope: PluginScope): Promise<string> {
  const target = placeFor(home, staged, scope)
  mkdirSync(dirname(target), { recursive: true })
  recoverSwap(target)
  if (hashOrNone(target) === staged.contentHash) {
    rmSync(join(target, ORPHANED), { force: true })
    const [made, wanted] = [join(staged.folder, "node_modules"), join(target, "node_modules")]
    if (existsSync(made)) {
      rmSync(wanted, { recursive: true, force: true })
      renameSync(made, wanted)
    }
  } else moveIn(staged.folder, target)
  await changeJsonFile(home, indexPath(home), (index) => {
    index[`${staged.id}/${basename(target)}`] = {
      path: target,
      version: staged.version,
      source: sourceKey(staged.entry.source),
      contentHash: staged.contentHash,
      commit: staged.fetched.commit,
      archiveDigest: staged.fetched.archiveDigest,
      from: staged.fetched.from,
    }
  })
  return target
}

/**
 * The folder of a version; where another installation has other bytes of that version there, a folder of these bytes
 * alone. Claude Code runs an installation from where its record says.
 */
function placeFor(home: ClaudeHome, { id, version, contentHash, catalogue, entry }: StagedPlugin, scope: PluginScope) {
  const folder = (name: string) => cacheFolder(home, catalogue.name, entry.name, name)
  const usual = folder(version)
  const isOthers = (readInstalled(home).get(id) ?? []).some(
    (one) =>
      one.installPath === usual &&
      !(one.scope === scope && appliesHere(home, one)) &&
      hashOrNone(usual) !== contentHash &&
      lockedHash(home, id, one) !== contentHash,
  )
  return isOthers ? folder(`${version}-${contentHash.replace(/^\w+-/, "").slice(0, 12)}`) : usual
}

/** The bytes that an installation should have; of a lock that cannot be read nobody knows. */
function lockedHash(home: ClaudeHome, id: string, { scope, projectPath = home.project }: InstalledPlugin) {
  try {
    return readPins({ ...home, project: projectPath }, scope).get(id)?.contentHash
  } catch (error) {
    if (error instanceof ChorusError) return undefined
    throw error
  }
}

/** Whether the cache already has this plugin with its Node packages, and nobody changed them. */
export function holdsPackages(home: ClaudeHome, staged: StagedPlugin, scope: PluginScope): boolean {
  const target = placeFor(home, staged, scope)
  return (
    existsSync(join(target, "node_modules")) &&
    hashOrNone(target) === staged.contentHash &&
    packagesStanding(home, target) !== "changed"
  )
}

/**
 * The newest cached version that came from the same source, or has the very bytes that are wanted, and is still what it
 * was.
 */
export function findCached(
  home: ClaudeHome,
  id: string,
  wanted: { source: unknown } | { contentHash: string },
): CachedVersion | undefined {
  const fits = (cached: CachedVersion) =>
    "contentHash" in wanted ? cached.contentHash === wanted.contentHash : cached.source === sourceKey(wanted.source)
  return Object.entries(readJsonFile(indexPath(home)))
    .flatMap(([key, value]) => (key.startsWith(`${id}/`) && isCached(value) ? [value] : []))
    .findLast((cached) => fits(cached) && hashOrNone(cached.path) === cached.contentHash)
}

export function copyFromCache(cached: CachedVersion, folder: string): void {
  copyTree(cached.path, folder)
}

/** Every place in the cache that something was put in. */
export function cachedPaths(home: ClaudeHome): string[] {
  return Object.values(readJsonFile(indexPath(home))).flatMap((value) => (isCached(value) ? [value.path] : []))
}

const ORPHANED = ".orphaned_at"

/** Marks a version nobody uses any more; Claude Code removes it two weeks later. */
export function markOrphaned(path: string, now: Date): void {
  try {
    writeFileSync(join(path, ORPHANED), String(now.getTime()))
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error
  }
}

function moveIn(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (errorCode(error) !== "ENOTEMPTY" && errorCode(error) !== "EEXIST") throw error
    swapIn(from, to)
  }
}

function isCached(value: unknown): value is CachedVersion {
  return isObject(value) && ["path", "version", "source", "contentHash"].every((key) => typeof value[key] === "string")
}

function sourceKey(source: unknown): string {
  return JSON.stringify(source)
}

function indexPath(home: ClaudeHome): string {
  return join(home.chorus, "cache-index.json")
}
