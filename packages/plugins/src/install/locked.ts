import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { ChorusError, type PluginPin } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { canonicalGitUrl, contentHash, githubUrl } from "../fetch/index.ts"
import { lockPath, readPins } from "../govern/consent.ts"
import { loadPlugins } from "../load/load.ts"
import type { Catalogue, CatalogueEntry } from "../marketplace/catalogue.ts"
import { isObject, sourceFolder } from "../read/index.ts"
import { enabledIn, readInstalled, readKnown, readSettings } from "../state/index.ts"
import type { FetchFrom } from "./fetch-plugin.ts"

/** The bytes that are wanted, and where they can be had. */
export type Locked = Pick<PluginPin, "version" | "contentHash" | "fetchFrom" | "resolvedVersion"> &
  Partial<Pick<PluginPin, "source" | "gitCommitSha" | "pinned">>

/** Where locked bytes are fetched from. A lock from before addresses were kept has the source and the commit. */
export function lockedAddress(context: PluginContext, catalogue: Catalogue, lock: Locked): FetchFrom | undefined {
  if (lock.fetchFrom !== undefined) return lock.fetchFrom
  const { source, gitCommitSha: sha } = lock
  if (sha === undefined) return undefined
  if (typeof source === "string") {
    const url = marketplaceUrl(context, catalogue.name)
    return url === undefined
      ? undefined
      : { source: "marketplace", url, path: sourceFolder(source, catalogue.pluginRoot), sha }
  }
  if (!isObject(source)) return undefined
  if (source["source"] === "github") return { source: "url", url: githubUrl(String(source["repo"])), sha }
  if (source["source"] === "url") return { source: "url", url: String(source["url"]), sha }
  return source["source"] === "git-subdir"
    ? { source: "git-subdir", url: String(source["url"]), path: String(source["path"]), sha }
    : undefined
}

/**
 * An address that comes from the lock and not from the marketplace: whoever writes the lock chose it, so it is shown before
 * anything is installed. Undefined when the marketplace vouches for it.
 */
export function foreignAddress(
  context: PluginContext,
  catalogue: Catalogue,
  entry: CatalogueEntry,
  from: FetchFrom,
): string | undefined {
  const { source } = entry
  const named =
    from["source"] === "marketplace"
      ? marketplaceUrl(context, catalogue.name)
      : isObject(source)
        ? (source["package"] ?? (source["source"] === "github" ? githubUrl(String(source["repo"])) : source["url"]))
        : undefined
  const mine = from["package"] ?? from["url"] ?? ""
  const sameRegistry = from["registry"] === undefined || (isObject(source) && source["registry"] === from["registry"])
  if (typeof named === "string" && canonicalGitUrl(named) === canonicalGitUrl(mine) && sameRegistry) return undefined
  return [mine, from["registry"]].filter(Boolean).join(" of ")
}

/** The bytes that are locked cannot be had: what that means, and the two ways on. */
export function lockedGone(id: string, lock: Locked, from: FetchFrom, cause?: unknown): ChorusError {
  const address = `${from["url"] ?? from["package"] ?? ""} ${from["sha"] ?? from["sha256"] ?? from["version"] ?? ""}`
  const why = cause instanceof ChorusError ? cause.message : "Other bytes are there now."
  return new ChorusError(
    "locked_gone",
    `${id} ${lock.version} was not installed: the locked bytes are no longer at ${address.trim()}. ${why}`,
    {
      status: 409,
      next:
        `Either take what is offered now, which changes the lock (chorus plugin install ${id} --newest; in a curated ` +
        "set, approve that build), or ask its publisher to bring it back.",
      details: { expected: lock.contentHash, fetchFrom: from },
    },
  )
}

export interface LockFinding {
  readonly id: string
  readonly kind: "missing" | "changed" | "not_locked" | "withdrawn"
  readonly message: string
}

/** The same context for the project a folder belongs to: the nearest one upwards, as git looks, that has a lock. */
export function inLockedProject(context: PluginContext): PluginContext {
  for (let project = context.home.project; ; project = dirname(project)) {
    const home = { ...context.home, project }
    if (existsSync(lockPath(home, "project"))) return { ...context, home }
    if (project === dirname(project)) break
  }
  throw new ChorusError(
    "lock_missing",
    `There is no ${lockPath(context.home, "project")}, nor such a lock in any folder above it.`,
    { status: 404, next: "Go to the project, or make its lock: chorus plugin install <plugin> --scope project." },
  )
}

/** How this project's plugins differ from its lock file. */
export async function checkLock(context: PluginContext): Promise<LockFinding[]> {
  const { home } = context
  const { plugins } = await loadPlugins(context)
  const pins = readPins(home, "project")
  const installed = readInstalled(home)
  const records = new Map(
    [...installed].flatMap(([id, all]) =>
      all.filter((one) => one.scope === "project" && one.projectPath === home.project).map((one) => [id, one] as const),
    ),
  )
  const switched = [...enabledIn(readSettings(home, "project"))].filter(([, on]) => on).map(([id]) => id)
  // What runs counts: of a local marketplace that is its own folder, not the copy.
  const folderOf = (id: string) => plugins.find((plugin) => plugin.id === id && plugin.inPlace)?.folder
  const findings: LockFinding[] = []
  for (const [id, pin] of pins) {
    const record = records.get(id)
    if (record === undefined)
      findings.push({ id, kind: "missing", message: `It is locked at ${pin.version} and not installed here.` })
    else if (hashOrNone(folderOf(id) ?? record.installPath) !== pin.contentHash)
      findings.push({ id, kind: "changed", message: `Its files are not those of ${pin.version} that the lock names.` })
    const gone = plugins.find((plugin) => plugin.id === id)?.errors.find(({ type }) => type === "plugin-not-found")
    if (gone !== undefined) findings.push({ id, kind: "withdrawn", message: gone.message })
  }
  for (const id of new Set([...records.keys(), ...switched]))
    if (!pins.has(id))
      findings.push({
        id,
        kind: "not_locked",
        message: `The project uses it, and ${lockPath(home, "project")} does not name it.`,
      })
  return findings.sort((a, b) => (a.id < b.id ? -1 : 1))
}

function marketplaceUrl(context: PluginContext, name: string): string | undefined {
  const known = readKnown(context.home).get(name)?.origin
  if (known?.source === "github") return githubUrl(known.repo)
  return known?.source === "git" ? known.url : undefined
}

function hashOrNone(folder: string): string | undefined {
  try {
    return contentHash(folder)
  } catch {
    return undefined
  }
}
