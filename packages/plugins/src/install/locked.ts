import { rmSync } from "node:fs"
import { relative, sep } from "node:path"
import {
  ChorusError,
  type LockedMarketplace,
  MarketplaceSource,
  type PluginPin,
  type PluginScope,
} from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { canonicalGitUrl, githubUrl, makeStage } from "../fetch/index.ts"
import { type AskConsent, questionOf } from "../govern/consent.ts"
import { afterWithdrawal, listedAt, newestCommand, readLockedMarketplaces, readPins } from "../govern/lock-file.ts"
import { surfaceOf } from "../govern/surface.ts"
import type { Catalogue, CatalogueEntry } from "../marketplace/catalogue.ts"
import { fetchedVersion } from "../marketplace/materialise.ts"
import {
  addMarketplace,
  fetchMarketplace,
  isInPlace,
  marketplacesFolder,
  openAllMarketplaces,
  sameSource,
  updateMarketplace,
} from "../marketplace/registry.ts"
import { describeSource } from "../marketplace/source.ts"
import { followRename, isObject, sourceFolder } from "../read/index.ts"
import { readKnown } from "../state/index.ts"
import type { FetchFrom } from "./fetch-plugin.ts"
import { parseId } from "./installed.ts"

/** The bytes that are wanted, and where they can be had. */
export type Locked = Pick<PluginPin, "version" | "contentHash" | "fetchFrom" | "resolvedVersion"> &
  Partial<Pick<PluginPin, "source" | "gitCommitSha" | "pinned">>

/** The same, and the scope whose lock says so. */
export type LockedIn = Locked & { readonly scope: PluginScope }

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
 * An address that comes from the lock and not from the marketplace: whoever writes the lock chose it, so it is shown
 * before anything is installed. Undefined when the marketplace vouches for it.
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
export function lockedGone(id: string, lock: LockedIn, from: FetchFrom, cause?: unknown): ChorusError {
  const address = `${from["url"] ?? from["package"] ?? ""} ${from["sha"] ?? from["sha256"] ?? from["version"] ?? ""}`
  const why = cause instanceof ChorusError ? cause.message : "Other bytes are there now."
  return new ChorusError(
    "locked_gone",
    `${id} ${lock.version} was not installed: the locked bytes are no longer at ${address.trim()}. ${why}`,
    {
      status: 409,
      next:
        `Either take what is offered now, which changes the lock (${newestCommand(id, lock.scope)}; in a curated ` +
        "set, approve that build), or ask its publisher to bring it back.",
      details: { expected: lock.contentHash, fetchFrom: from },
    },
  )
}

/**
 * A marketplace as a project's lock names it, for colleagues who have the checkout alone: what is in the project is
 * named from there, and a password or token in an address or header is not named at all. Undefined where the lock says
 * already what it should.
 */
export async function lockedMarketplace(
  context: PluginContext,
  { id, contentHash, catalogue }: { id: string; contentHash: string; catalogue: Catalogue },
): Promise<LockedMarketplace | undefined> {
  const source = readKnown(context.home).get(catalogue.name)?.origin
  if (source === undefined) return undefined
  const pins = readPins(context.home, "project")
  const before = readLockedMarketplaces(context.home).get(catalogue.name)
  if (before !== undefined && pins.get(id)?.contentHash === contentHash) return undefined
  const told = await toldInLock(context, catalogue, source)
  const isSameSource = before !== undefined && sameSource(before.source, told.source)
  // A state that lists all of them stays: under a newer one, Claude Code would not load on a new machine what that
  // dropped.
  return isSameSource && pins.has(id) && [...pins.keys()].some((other) => isDropped(catalogue, other))
    ? undefined
    : told
}

/** Whether a plugin is of this marketplace, and not listed there. */
function isDropped({ name, entries }: Catalogue, id: string): boolean {
  const plugin = id.slice(0, -name.length - 1)
  return id === `${plugin}@${name}` && !entries.has(plugin)
}

async function toldInLock(
  context: PluginContext,
  catalogue: Catalogue,
  source: MarketplaceSource,
): Promise<LockedMarketplace> {
  if (source.source === "directory" || source.source === "file") {
    const path = relative(context.home.project, source.path)
    const inside = path !== ".." && !path.startsWith(`..${sep}`)
    return { source: { ...source, path: inside ? `./${path.split(sep).join("/")}` : source.path } }
  }
  const version = await fetchedVersion(context, source, catalogue.root)
  const { headers: _headers, ...shared } = source
  const told = MarketplaceSource.parse(
    typeof shared["url"] === "string" ? { ...shared, url: withoutSecret(shared["url"]) } : shared,
  )
  return { source: told, ...(version === undefined ? {} : { version }) }
}

/** Adds the marketplaces of the project's lock that this machine does not know, after somebody agreed to them. */
export async function addLockedMarketplaces(context: PluginContext, ask: AskConsent): Promise<void> {
  const known = readKnown(context.home)
  const missing = [...readLockedMarketplaces(context.home)].filter(([name]) => !known.has(name))
  if (missing.length === 0) return
  const question = questionOf(
    missing.map(([id, { source, version = "" }]) => {
      const does = `adds the marketplace at ${describeSource(source)}, which this project's lock names`
      const surface = surfaceOf([{ kind: "download", where: "marketplace", does }])
      return { id, version, why: "new", surface, added: surface.items, removed: [], files: [], tree: undefined }
    }),
  )
  const named = missing.map(([name, { source }]) => `${name} (${describeSource(source)})`).join(", ")
  if (!(await ask(question)))
    throw new ChorusError(
      "marketplace_untrusted",
      `This project's lock takes plugins from marketplaces that you have not added: ${named}.`,
      {
        status: 403,
        next: `If you trust them, run the command again with --accept ${question.sha256}, or with --yes.`,
        details: { sha256: question.sha256, plugins: question.plugins },
      },
    )
  for (const [name, { source, version }] of missing)
    await addMarketplace(context, source, "user", { name, version }).catch((error: unknown) => {
      if (!(error instanceof ChorusError) || error.code !== "error_not_found") throw error
      throw marketplaceGone(name, describeSource(source), error)
    })
}

/**
 * Puts a marketplace back to the state that the project's lock names, so that Claude Code loads again what is locked
 * and withdrawn since. Only after somebody agreed, as its owner may have had a reason; and not when that stops another
 * plugin.
 */
export async function restoreMarketplace(
  context: PluginContext,
  name: string,
  withdrawn: readonly string[],
  ask: AskConsent,
): Promise<string | undefined> {
  const at = readLockedMarketplaces(context.home).get(name)?.version
  if (at === undefined) return undefined
  await updateMarketplace(context, name, {
    at,
    agree: async (next, stopped) => {
      expectListed(context, next, withdrawn, at)
      if (stopped.length > 0)
        throw new ChorusError(
          "marketplace_in_use",
          `The marketplace "${name}" was not put back to ${at}: it does not list ${stopped.join(", ")} there, which you have too.`,
          { status: 409, next: `Remove one of them: chorus plugin uninstall ${stopped[0] ?? ""}.` },
        )
      await agreeToRestore(name, withdrawn, at, ask)
    },
  })
  return at
}

function expectListed(context: PluginContext, next: Catalogue, withdrawn: readonly string[], at: string): void {
  const lacking = withdrawn.filter((id) => isDropped(next, id))
  const [first] = lacking
  if (first === undefined) return
  throw new ChorusError(
    "not_found",
    `The marketplace "${next.name}" was not put back to ${at}, which the lock names: there it does not list ${lacking.join(", ")} either.`,
    { status: 404, next: afterWithdrawal(first, listedAt(context.home, "project", first)) },
  )
}

async function agreeToRestore(name: string, withdrawn: readonly string[], at: string, ask: AskConsent): Promise<void> {
  await agreeAgainstOwner(name, at, ask, {
    does: `goes back to a state that still lists ${withdrawn.join(", ")}, which its owner has withdrawn since`,
    refused: `The marketplace "${name}" was not put back to ${at}: its owner has withdrawn ${withdrawn.join(", ")} since.`,
  })
}

/**
 * Asks before locked plugins come to this machine that their marketplaces, as they are now, do not list any more: a
 * machine that adds them as they were locked hears of that from nobody else. Returns what to tell.
 */
export async function agreeToWithdrawn(
  context: PluginContext,
  ids: readonly string[],
  ask: AskConsent,
): Promise<string[]> {
  const { catalogues } = openAllMarketplaces(context)
  const told: string[] = []
  for (const [name, some] of Map.groupBy(ids, (id) => parseId(id).marketplace)) {
    const [here, origin] = [catalogues.get(name), readKnown(context.home).get(name)?.origin]
    const listed = some.filter((id) => here !== undefined && !isDropped(here, id))
    if (origin === undefined || isInPlace(origin) || origin.source === "settings" || listed.length === 0) continue
    const gone = await withdrawnNow(context, name, listed).catch((error: unknown) => {
      if (!(error instanceof ChorusError)) throw error
      told.push(`Nobody could say whether the marketplace "${name}" still lists ${listed.join(", ")}: ${error.message}`)
      return []
    })
    if (gone.length === 0) continue
    const what = gone.join(", ")
    await agreeAgainstOwner(what, "", ask, {
      does: `comes although the owner of the marketplace "${name}" has withdrawn it since the lock was written`,
      refused: `${what} was not installed: the owner of the marketplace "${name}" has withdrawn it since it was locked.`,
    })
    told.push(`The owner of the marketplace "${name}" has withdrawn ${what} since it was locked.`)
  }
  return told
}

async function withdrawnNow(context: PluginContext, name: string, ids: readonly string[]): Promise<string[]> {
  const stage = makeStage(marketplacesFolder(context))
  try {
    const now = await fetchMarketplace(context, name, stage)
    const live = new Set(now.entries.keys())
    return ids.filter((id) => isDropped(now, id) && followRename(now.renames, parseId(id).name, live)?.kind !== "to")
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** Asks about what the owner of a marketplace took back, and may have had a reason for. */
async function agreeAgainstOwner(
  id: string,
  version: string,
  ask: AskConsent,
  { does, refused }: { does: string; refused: string },
): Promise<void> {
  const surface = surfaceOf([{ kind: "download", where: "marketplace", does }])
  const question = questionOf([
    { id, version, why: "new", surface, added: surface.items, removed: [], files: [], tree: undefined },
  ])
  if (await ask(question)) return
  throw new ChorusError("consent_required", refused, {
    status: 403,
    next: `If you want it all the same, run the command again with --accept ${question.sha256}, or with --yes.`,
    details: { sha256: question.sha256, plugins: question.plugins },
  })
}

/** A marketplace that a lock names cannot be had as it was: the two ways on. */
function marketplaceGone(name: string, address: string, cause: ChorusError): ChorusError {
  return new ChorusError(
    "locked_gone",
    `The marketplace "${name}" is no longer at ${address} as this project's lock names it. ${cause.message}`,
    {
      status: 409,
      next:
        `Either add it as it is now, from there or from where it moved (chorus plugin marketplace add ${address}), and ` +
        "run chorus plugin lock again, or ask its owner to bring it back.",
      cause,
    },
  )
}

function withoutSecret(url: string): string {
  if (!URL.canParse(url)) return url
  const bare = new URL(url)
  bare.password = ""
  if (bare.protocol.startsWith("http")) bare.username = ""
  return bare.href === new URL(url).href ? url : bare.href
}

function marketplaceUrl(context: PluginContext, name: string): string | undefined {
  const known = readKnown(context.home).get(name)?.origin
  if (known?.source === "github") return githubUrl(known.repo)
  return known?.source === "git" ? known.url : undefined
}
