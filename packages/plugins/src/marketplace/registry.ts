import { existsSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import { ChorusError, type ExecutableSurface, MarketplaceSource, type PluginScope } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { contentHash, makeStage, recoverSwap, swapIn, sweepStages } from "../fetch/index.ts"
import { type AskConsent, askConsent, recordConsent } from "../govern/consent.ts"
import { afterWithdrawal, readLockedMarketplaces, setPin, withdrawnFrom } from "../govern/lock-file.ts"
import { checkMarketplacePolicy, readPolicy } from "../govern/policy.ts"
import { executableSurface } from "../govern/surface.ts"
import { followRename, isObject, kindInside, readInventory, readPlugin, sourceFolder } from "../read/index.ts"
import {
  changeJsonFile,
  changeKnown,
  declaredMarketplaces,
  type Marketplace,
  readInstalled,
  readKnown,
  readSettings,
  SCOPES,
  section,
  setOrigin,
  settingsPath,
} from "../state/index.ts"
import { type Catalogue, CATALOGUE_FILE, readCatalogue, withoutFolders } from "./catalogue.ts"
import { fetchedVersion, readFetched, inlineCatalogue, materialise } from "./materialise.ts"
import { guardMarketplaceName } from "./name-guard.ts"
import { describeSource } from "./source.ts"

export interface AddedMarketplace {
  readonly name: string
  readonly already: boolean
  readonly plugins: number
}

/**
 * Fetches a marketplace, as it was locked if it is, checks its name, and declares it in the settings of a scope.
 * Nothing is written when it is refused.
 */
export async function addMarketplace(
  context: PluginContext,
  source: MarketplaceSource,
  scope: PluginScope,
  locked?: { readonly name: string; readonly version: string | undefined },
): Promise<AddedMarketplace> {
  const policy = readPolicy(context.home)
  checkMarketplacePolicy(policy, describeSource(source), source)
  expectUsualPlace(source)
  const folder = marketplacesFolder(context)
  sweepStages(folder)
  const stage = makeStage(folder)
  try {
    const catalogue = await materialise(context, source, stage, locked?.version)
    const { name } = catalogue
    if (locked !== undefined && locked.name !== name)
      throw new ChorusError(
        "marketplace_renamed",
        `The lock of this project calls ${describeSource(source)} "${locked.name}", and it calls itself "${name}".`,
        { status: 409, next: "Ask whoever wrote the lock; nothing was added." },
      )
    guardMarketplaceName(name, source, { allowReserved: context.env["CHORUS_ALLOW_RESERVED_NAMES"] === "1" })
    const known = readKnown(context.home).get(name)
    if (known !== undefined && !sameSource(known.origin, source)) throw nameTaken(name, known)
    await settle(context, name, source, stage, catalogue.root)
    await changeJsonFile(context.home, settingsPath(context.home, scope), (content) => {
      section(content, "extraKnownMarketplaces")[name] = { source: toldSource(context, name, source) }
    })
    return { name, already: known !== undefined, plugins: catalogue.entries.size }
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/**
 * Claude Code finds the catalogue of an added file in the usual place alone: of any other file it loads no plugin, not
 * even those it installs.
 */
function expectUsualPlace(source: MarketplaceSource): void {
  if (source.source !== "file" || !existsSync(source.path) || source.path.endsWith(`/${CATALOGUE_FILE}`)) return
  throw new ChorusError(
    "invalid_source",
    `Claude Code loads nothing from ${source.path}: it reads a catalogue only as ${CATALOGUE_FILE}.`,
    { next: `Move it to ${CATALOGUE_FILE} in the folder its plugins lie in, and add that folder.` },
  )
}

export interface UpdatedMarketplace {
  readonly plugins: number
  /** What Claude Code no longer loads, as the marketplace listed it until now; each with what to do. */
  readonly warnings: readonly string[]
}

interface UpdateOptions {
  /** For marketplaces whose plugins run from its folder. */
  readonly ask?: AskConsent | undefined
  /** As it was at this commit or npm version. */
  readonly at?: string | undefined
  /** Told what it would be, and which installed plugins that no longer lists, before anything is replaced; may refuse. */
  readonly agree?: (next: Catalogue, stopped: readonly string[]) => Promise<void>
}

/** Fetches a known marketplace anew. On any failure the copy at hand stays. */
export async function updateMarketplace(
  context: PluginContext,
  name: string,
  options: UpdateOptions = {},
): Promise<UpdatedMarketplace> {
  const { origin, installLocation } = requireKnown(context, name)
  const folder = marketplacesFolder(context)
  sweepStages(folder)
  const stage = makeStage(folder)
  try {
    const catalogue = await fetchMarketplace(context, name, stage, options.at)
    const stopped = stoppedBy(context, catalogue)
    await options.agree?.(catalogue, stopped)
    const before = stopped.length === 0 ? undefined : await fetchedVersion(context, origin, installLocation)
    const record =
      origin.source === "archive"
        ? await askBeforeReplacing(context, catalogue, name, options.ask ?? (() => false))
        : undefined
    await settle(context, name, origin, stage, catalogue.root)
    await record?.()
    return {
      plugins: catalogue.entries.size,
      warnings: stopped.map((id) => `${withdrawnFrom(id)} ${afterWithdrawal(id, before)}`),
    }
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** Brings a known marketplace, as it is now or was, into `stage`; the copy at hand stays. */
export async function fetchMarketplace(
  context: PluginContext,
  name: string,
  stage: string,
  at?: string,
): Promise<Catalogue> {
  const { origin } = requireKnown(context, name)
  checkMarketplacePolicy(readPolicy(context.home), name, origin)
  if (at !== undefined) expectState(name, origin, at)
  const catalogue = await materialise(context, origin, stage, at).catch((error: unknown) => {
    throw at !== undefined && error instanceof ChorusError && error.code === "error_not_found"
      ? stateGone(name, origin, at, error)
      : error
  })
  guardMarketplaceName(catalogue.name, origin, { allowReserved: context.env["CHORUS_ALLOW_RESERVED_NAMES"] === "1" })
  if (catalogue.name !== name && origin.source !== "settings")
    throw new ChorusError(
      "marketplace_renamed",
      `The marketplace "${name}" now calls itself "${catalogue.name}". It was not updated.`,
      { status: 409, next: `If that is right: chorus plugin marketplace remove ${name}, then add it again.` },
    )
  return asKnown(name, origin, catalogue)
}

/** A marketplace cannot be put back: its history was rewritten, or the version taken back. */
function stateGone(name: string, origin: MarketplaceSource, at: string, cause: ChorusError): ChorusError {
  return new ChorusError(
    "locked_gone",
    `The state ${at} of the marketplace "${name}" is no longer at ${describeSource(origin)}.`,
    {
      status: 409,
      next:
        "What it does not list now you can only remove (chorus plugin uninstall <plugin>), or its owner has to bring that " +
        "state back.",
      cause,
    },
  )
}

function expectState(name: string, { source }: MarketplaceSource, at: string): void {
  const isGit = source === "git" || source === "github"
  if (!isGit && source !== "npm")
    throw new ChorusError(
      "invalid_source",
      `The marketplace "${name}" is not in git or npm: it has no earlier states.`,
      {
        next: "Update it without --at.",
      },
    )
  if (isGit && !/^[0-9a-f]{40,64}$/.test(at))
    throw new ChorusError("invalid_source", `"${at}" is not the whole id of a commit.`, {
      next: "Give all of its characters, as git log shows them.",
    })
}

/** The installed plugins that the copy at hand of a marketplace lists, and this one does not. */
function stoppedBy(context: PluginContext, { name, entries, renames }: Catalogue): string[] {
  const listed = openAllMarketplaces(context).catalogues.get(name)?.entries
  const live = new Set(entries.keys())
  return [...readInstalled(context.home).keys()].filter((id) => {
    const plugin = id.slice(0, -name.length - 1)
    const isLost = id === `${plugin}@${name}` && listed?.has(plugin) === true && !live.has(plugin)
    return isLost && followRename(renames, plugin, live)?.kind !== "to"
  })
}

/**
 * The catalogue of a marketplace by name, as it lies on this machine. Declared ones that were never fetched are fetched
 * now.
 */
export async function findMarketplace(context: PluginContext, name: string): Promise<Catalogue> {
  if (readKnown(context.home).has(name)) return openMarketplace(context, name)
  for (const scope of SCOPES.toReversed()) {
    const declared = declaredMarketplaces(readSettings(context.home, scope)).get(name)
    const source = MarketplaceSource.safeParse(
      isObject(declared?.["source"]) && declared["source"]["source"] === "settings"
        ? { name, ...declared["source"] }
        : declared?.["source"],
    )
    if (!source.success) continue
    if (scope === "project" || scope === "local")
      throw new ChorusError(
        "marketplace_untrusted",
        `The marketplace "${name}" is declared by this project (${describeSource(source.data)}) but you have not added it.`,
        { status: 403, next: `If you trust it: chorus plugin marketplace add ${describeSource(source.data)}.` },
      )
    await addMarketplace(context, source.data, "user")
    return openMarketplace(context, name)
  }
  if (readLockedMarketplaces(context.home).has(name))
    throw new ChorusError("marketplace_untrusted", `This project's lock names "${name}", and you have not added it.`, {
      status: 403,
      next: "To install what the lock names, its marketplaces included: chorus plugin lock.",
    })
  throw new ChorusError("not_found", `No marketplace called "${name}" was added.`, {
    status: 404,
    next: "Run chorus plugin marketplace add <source>.",
  })
}

/** The catalogue of a known marketplace. Its name is checked again at every reading. */
export function openMarketplace(context: PluginContext, name: string): Catalogue {
  const known = requireKnown(context, name)
  checkMarketplacePolicy(readPolicy(context.home), name, known.origin)
  return openKnown(context, name, known)
}

function openKnown(context: PluginContext, name: string, known: Marketplace): Catalogue {
  guardMarketplaceName(name, known.origin, { allowReserved: true })
  const { source, installLocation } = known
  if (source.source === "settings") return inlineCatalogue(context, source)
  recoverSwap(installLocation)
  if (isInPlace(source)) return { ...readCatalogue(source.path, context.network.trusted), name }
  return asKnown(name, source, readFetched(context, source, installLocation))
}

/** A fetched catalogue under the name it was added by. */
function asKnown(name: string, { source }: MarketplaceSource, catalogue: Catalogue): Catalogue {
  const named = { ...catalogue, name }
  return source === "url" ? withoutFolders(named, "a marketplace that is a single file has no folders") : named
}

/** Every catalogue that can be read, and why the others cannot. */
export function openAllMarketplaces(context: PluginContext): {
  catalogues: Map<string, Catalogue>
  problems: Map<string, string>
} {
  const catalogues = new Map<string, Catalogue>()
  const problems = new Map<string, string>()
  const policy = readPolicy(context.home)
  for (const [name, known] of readKnown(context.home)) {
    try {
      checkMarketplacePolicy(policy, name, known.origin)
      catalogues.set(name, openKnown(context, name, known))
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
      problems.set(name, error.message)
    }
  }
  return { catalogues, problems }
}

/** Whether its plugins are run from its own folder instead of the cache. */
export function isInPlace(
  source: MarketplaceSource,
): source is Extract<MarketplaceSource, { source: "directory" | "file" }> {
  return source.source === "directory" || source.source === "file"
}

export function requireKnown(context: PluginContext, name: string): Marketplace {
  const known = readKnown(context.home).get(name)
  if (known !== undefined) return known
  throw new ChorusError("not_configured", `No marketplace called "${name}" was added.`, {
    status: 404,
    next: "Run chorus plugin marketplace list.",
  })
}

/**
 * Puts the fetched copy in its place and records it. One that stays where it is is recorded by its root, also when a
 * file was given.
 */
async function settle(
  context: PluginContext,
  name: string,
  source: MarketplaceSource,
  stage: string,
  root: string,
): Promise<void> {
  const location = isInPlace(source) ? root : join(marketplacesFolder(context), name)
  await setOrigin(context.home, name, source.source === "archive" ? source : undefined)
  await changeKnown(context.home, (known) => {
    if (!isInPlace(source) && source.source !== "settings")
      swapIn(source.source === "url" ? join(stage, CATALOGUE_FILE) : stage, location)
    const before = known[name]
    known[name] = {
      ...(isObject(before) ? before : {}),
      source: toldSource(context, name, source),
      installLocation: location,
      lastUpdated: context.now().toISOString(),
    }
  })
}

/** What Claude Code is told about a source: an archive is for it the folder we unpacked it to. */
function toldSource(context: PluginContext, name: string, source: MarketplaceSource): MarketplaceSource {
  return source.source === "archive" ? { source: "directory", path: join(marketplacesFolder(context), name) } : source
}

export function sameSource(a: MarketplaceSource, b: MarketplaceSource): boolean {
  return a.source === "settings" && b.source === "settings" ? true : describeSource(a) === describeSource(b)
}

export function marketplacesFolder(context: PluginContext): string {
  return join(context.home.plugins, "marketplaces")
}

function nameTaken(name: string, known: Marketplace): ChorusError {
  return new ChorusError(
    "marketplace_name_taken",
    `"${name}" is already added from ${describeSource(known.origin)}; two marketplaces cannot share a name.`,
    { status: 409, next: `To replace it: chorus plugin marketplace remove ${name}.` },
  )
}

interface Changed {
  readonly id: string
  readonly version: string
  readonly surface: ExecutableSurface
  readonly folder: string
  readonly contentHash: string
  readonly source: unknown
  readonly scopes: readonly PluginScope[]
}

/**
 * A fetched marketplace whose plugins run from its own folder changes them the moment it is replaced. So whoever
 * replaces it is asked first what is asked for any update. Returns what to record once the new copy is in place.
 */
export async function askBeforeReplacing(
  context: PluginContext,
  next: Catalogue,
  name: string,
  ask: AskConsent,
): Promise<() => Promise<void>> {
  const changed = [...readInstalled(context.home)].flatMap(([id, records]): Changed[] => {
    const entry = id.endsWith(`@${name}`) ? next.entries.get(id.slice(0, -name.length - 1)) : undefined
    if (entry === undefined || typeof entry.source !== "string") return []
    const folder = sourceFolder(entry.source, next.pluginRoot)
    if (kindInside(next.root, folder) !== "directory") return []
    const plugin = readPlugin(join(next.root, folder), entry.data)
    return [
      {
        id,
        version: plugin.version ?? "unknown",
        surface: executableSurface(plugin, readInventory(plugin), entry.source),
        folder: plugin.folder,
        contentHash: contentHash(plugin.folder),
        source: entry.source,
        scopes: records.map((record) => record.scope),
      },
    ]
  })
  await askConsent(context.home, changed, ask)
  return async () => {
    for (const one of changed) {
      for (const scope of one.scopes)
        await setPin(context.home, scope, one.id, {
          version: one.version,
          contentHash: one.contentHash,
          surfaceHash: one.surface.sha256,
          source: one.source,
        })
      const folder = join(marketplacesFolder(context), name, relative(next.root, one.folder))
      await recordConsent(context.home, one.id, { surface: one.surface, folder }, context.now())
    }
  }
}
