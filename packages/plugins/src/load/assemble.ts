import { existsSync, rmSync, statSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { ChorusError, type InstalledPlugin, type PluginScope } from "@chorus/contracts"
import { satisfies } from "semver"
import { downloadsFolder, type PluginContext } from "../context.ts"
import { downloadFile, liftSingleFolder, makeStage, unpack, vetTree } from "../fetch/index.ts"
import { afterWithdrawal, listedAt } from "../govern/lock-file.ts"
import { packagesStanding } from "../govern/packages.ts"
import { listDenial, pluginDenial, type Policy, readPolicy } from "../govern/policy.ts"
import type { Catalogue } from "../marketplace/catalogue.ts"
import { isInPlace, openAllMarketplaces } from "../marketplace/registry.ts"
import {
  isObject,
  type JsonObject,
  kindInside,
  listFolders,
  MANIFEST_FILE,
  own,
  type Plugin,
  readInventory,
  readPlugin,
  sourceFolder,
} from "../read/index.ts"
import {
  appliesHere,
  type ClaudeHome,
  type Enablement,
  readEnablement,
  readInstalled,
  readKnown,
  skillRoots,
} from "../state/index.ts"
import { parseId, repairCommand, strongest } from "../install/installed.ts"
import type { LoadedPlugin, LoadMessage, PluginOrigin } from "./loaded.ts"

const MAX_ARCHIVE = 256 * 1024 * 1024

interface Facts {
  readonly context: PluginContext
  readonly policy: Policy
  readonly enablement: ReadonlyMap<string, Enablement>
}

/** Plugins from marketplaces: from the records and the cache alone, without a network. */
export async function fromMarketplaces(context: PluginContext, policy: Policy): Promise<LoadedPlugin[]> {
  const { catalogues, problems } = openAllMarketplaces(context)
  const known = readKnown(context.home)
  const facts: Facts = { context, policy, enablement: readEnablement(context.home) }
  const installed = readInstalled(context.home)
  const isInstalledHere = (id: string) => installed.get(id)?.some((one) => appliesHere(context.home, one)) === true
  // Of a folder Claude Code runs whatever settings turn on, whether somebody installed it or not.
  const turnedOn = [...facts.enablement].flatMap(([id, { enabled, decidedBy }]) => {
    const { name, marketplace } = parseIdOrNone(id) ?? { name: id, marketplace: "" }
    const source = known.get(marketplace)?.source
    if (!enabled || source === undefined || !isInPlace(source) || isInstalledHere(id)) return []
    const catalogue = catalogues.get(marketplace)
    const entry = catalogue?.entries.get(name)
    const folder = inPlaceFolder(catalogue, entry?.source)
    if (entry === undefined || folder === undefined) return []
    const only = { id, origin: "marketplace", folder, record: undefined, inPlace: true } as const
    return [readOne(facts, { ...only, entry: entry.data, blocked: problems.get(marketplace), turnedOnBy: decidedBy })]
  })
  const recorded = [...installed].flatMap(([id, records]) => {
    // Of the installations that count here Claude Code runs the first, whatever its scope.
    const here = records.filter((one) => appliesHere(context.home, one))
    const [running] = here
    const record = strongest(here.filter((one) => one.installPath === running?.installPath))
    if (running === undefined || record === undefined) return []
    const { name, marketplace } = parseIdOrNone(id) ?? { name: id, marketplace: "" }
    const catalogue = catalogues.get(marketplace)
    const source = known.get(marketplace)?.source
    const entry = catalogue?.entries.get(name)
    const inPlace = source !== undefined && isInPlace(source) ? inPlaceFolder(catalogue, entry?.source) : undefined
    const blocked =
      problems.get(marketplace) ??
      (policy.allowedMarketplaces !== undefined && source === undefined
        ? `Its marketplace "${marketplace}" is not known, and only listed ones are allowed.`
        : undefined)
    return [
      readOne(facts, {
        id,
        origin: "marketplace",
        folder: inPlace ?? record.installPath,
        record,
        meant: inPlace === undefined ? strongest(here) : undefined,
        entry: entry?.data,
        inPlace: inPlace !== undefined,
        blocked,
        withdrawnBy: catalogue === undefined || entry !== undefined ? undefined : marketplace,
      }),
    ]
  })
  return [...recorded, ...turnedOn]
}

/** What settings turn on and nobody installed here: from elsewhere than a folder, Claude Code installs it by itself. */
export function installedNext(context: PluginContext): string[] {
  const { catalogues } = openAllMarketplaces(context)
  const policy = readPolicy(context.home)
  const installed = readInstalled(context.home)
  return [...readEnablement(context.home)].flatMap(([id, { enabled }]) => {
    const { name, marketplace } = parseIdOrNone(id) ?? { name: id, marketplace: "" }
    const source = readKnown(context.home).get(marketplace)?.source
    const isHere = installed.get(id)?.some((one) => appliesHere(context.home, one)) === true
    const isOffered = catalogues.get(marketplace)?.entries.has(name) === true
    const comes = enabled && !isHere && isOffered && source !== undefined && !isInPlace(source)
    return comes && policy.forced.get(id) !== false ? [id] : []
  })
}

/** Plugins for this session only: folders, a folder of plugins, archives, or addresses of archives. */
export async function fromSession(
  context: PluginContext,
  policy: Policy,
  folders: readonly string[],
  urls: readonly string[],
): Promise<LoadedPlugin[]> {
  const facts: Facts = { context, policy, enablement: new Map() }
  const blocked = policy.noSideload ? "Your organisation does not allow plugins from folders." : undefined
  if (policy.noSideload && urls.length > 0)
    throw new ChorusError("error_policy", "Your organisation does not allow plugins from addresses.", {
      status: 403,
      next: "Install it from a marketplace.",
    })
  const places = await Promise.all([
    ...folders.map((folder) => unpacked(context, resolve(context.home.project, folder))),
    ...urls.map((url) => downloaded(context, url)),
  ])
  return places.flatMap(pluginFolders).map((folder, index) => {
    const name = nameOrNone(folder)
    const isName = name !== undefined && !/[@:/\\\s\p{Cc}\p{Cf}]/u.test(name)
    return readOne(facts, {
      id: isName ? `${name}@inline` : `inline[${index}]`,
      origin: "session",
      folder,
      record: undefined,
      entry: undefined,
      inPlace: true,
      blocked:
        blocked ?? (name === undefined || isName ? undefined : `${JSON.stringify(name)} is not a valid plugin name.`),
    })
  })
}

/** Plugin folders among the skills of the user and of the project; the user's come first. */
export async function fromSkillFolders(context: PluginContext, policy: Policy): Promise<LoadedPlugin[]> {
  const listed = policy.allowedMarketplaces?.some((rule) => rule["source"] === "skills-dir") ?? true
  const blocked = policy.installedOnly
    ? "Your organisation allows installed plugins only."
    : listed
      ? undefined
      : "Your organisation allows listed marketplaces only."
  const facts: Facts = { context, policy, enablement: readEnablement(context.home) }
  return skillRoots(context.home).flatMap((root) =>
    listFolders(root)
      .filter((name) => existsSync(join(root, name, MANIFEST_FILE)))
      .map((name) =>
        readOne(facts, {
          id: `${name}@skills-dir`,
          origin: "skills-dir",
          folder: join(root, name),
          record: undefined,
          entry: undefined,
          inPlace: true,
          blocked,
        }),
      ),
  )
}

interface Candidate {
  readonly id: string
  readonly origin: PluginOrigin
  readonly folder: string
  readonly record: InstalledPlugin | undefined
  /** The installation that should run here by its scope; Claude Code runs `record`. */
  readonly meant?: InstalledPlugin | undefined
  readonly entry: JsonObject | undefined
  readonly inPlace: boolean
  readonly blocked: string | undefined
  /** The marketplace that no longer lists it; Claude Code loads what is listed alone. */
  readonly withdrawnBy?: string | undefined
  /** The settings that turn on what nobody installed. */
  readonly turnedOnBy?: PluginScope
}

function readOne(facts: Facts, candidate: Candidate): LoadedPlugin {
  const { id, origin, folder, record, inPlace, withdrawnBy, turnedOnBy } = candidate
  const errors: LoadMessage[] = []
  const notes: LoadMessage[] = []
  const plugin = tryRead(candidate, errors)
  const inventory = plugin === undefined ? undefined : readInventory(plugin)
  for (const problem of inventory?.problems ?? [])
    (problem.type === "folder-shadowed-by-manifest" ? notes : errors).push({
      type: problem.type,
      message: problem.message,
    })
  const said = facts.enablement.get(id)
  // An installed plugin that no settings mention is off in Claude Code, whatever its manifest says.
  const isOnUnsaid =
    origin !== "marketplace" && (plugin === undefined || own(plugin.manifest, "defaultEnabled") !== false)
  const enabled = said?.enabled ?? isOnUnsaid
  if (said?.enabled === true && [...said.saidBy].some(([, on]) => !on))
    notes.push({
      type: "ineffective-disable",
      message: `Disabled in weaker settings, but ${said.decidedBy} settings enable it.`,
    })
  if (turnedOnBy !== undefined)
    notes.push({
      type: "not-installed",
      message: `Nobody installed it: ${turnedOnBy} settings turn it on, which is enough in a folder. To be shown what it does: chorus plugin install ${id}.`,
    })
  if (record !== undefined && packagesStanding(facts.context.home, folder) === "missing")
    notes.push({
      type: "packages-missing",
      message: `Its Node packages could not be fetched, so what needs them fails. To try again: ${repairCommand(id, record.scope)}.`,
    })
  const { meant } = candidate
  if (record !== undefined && meant !== undefined && record.installPath !== meant.installPath)
    notes.push({
      type: "other-version-runs",
      message:
        `Claude Code runs ${record.version} of ${record.scope} scope: of several installations it takes the one recorded first. ` +
        `To run ${meant.version} of ${meant.scope} scope: ${repairCommand(id, meant.scope)}.`,
    })
  const denial = candidate.blocked ?? pluginDenial(facts.policy, id)
  // Claude Code has no lists of plugins; it obeys the administrator's marketplaces and switches alone.
  const binding = candidate.blocked !== undefined || facts.policy.forced.get(id) === false
  if (denial !== undefined)
    errors.push({
      type: "policy",
      message: binding
        ? `Not loaded: ${denial}`
        : `Chorus will not load it: ${denial}. ${enabled ? "Claude Code will, until it is turned off there too." : "It is turned off in Claude Code too."}`,
      ...(binding || !enabled ? {} : { next: stopThere(facts.context.home, id, record?.scope) }),
    })
  const engine = plugin === undefined ? undefined : engineFault(facts.context.claudeVersion, plugin)
  if (engine !== undefined)
    (inPlace ? notes : errors).push({
      type: inPlace ? "engine-range-exempt" : "generic-error",
      message: inPlace ? `${engine} It loads anyway, because it is read from a local folder.` : engine,
    })
  if (withdrawnBy !== undefined)
    errors.push({
      type: "plugin-not-found",
      message: `Not loaded: the marketplace "${withdrawnBy}" no longer offers it.`,
      next: afterWithdrawal(id, record === undefined ? undefined : listedAt(facts.context.home, record.scope, id)),
    })
  const fatal =
    plugin === undefined ||
    withdrawnBy !== undefined ||
    denial !== undefined ||
    (engine !== undefined && !inPlace) ||
    inventory?.problems.some((problem) => problem.fatal) === true
  return {
    id,
    origin,
    record,
    folder,
    inPlace,
    version: record?.version ?? plugin?.version ?? "unknown",
    enabled,
    loads: enabled && !fatal,
    plugin,
    inventory,
    errors,
    notes,
  }
}

function tryRead(candidate: Candidate, errors: LoadMessage[]): Plugin | undefined {
  try {
    if (!existsSync(candidate.folder))
      throw new ChorusError("error_not_found", `Its folder ${candidate.folder} is gone.`, {})
    return readPlugin(candidate.folder, candidate.entry)
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    errors.push({ type: "generic-error", message: error.message })
    return undefined
  }
}

/**
 * How to stop what Claude Code loads although a list denies it. The switch of a project is its team's; and a project's
 * list binds nobody else.
 */
function stopThere(home: ClaudeHome, id: string, scope: PluginScope | undefined): string {
  const isDenied = (own: boolean) => listDenial(readPolicy(home, { own, project: false }), id) !== undefined
  const bind = isDenied(false) ? "bind" : isDenied(true) ? "bind --own" : undefined
  const forAll = bind === undefined ? "" : ` For everybody, by an administrator: chorus plugin ${bind}.`
  return `For you: chorus plugin disable ${id}${scope === "project" ? " --scope local" : ""}.${forAll}`
}

function engineFault(version: string | undefined, plugin: Plugin): string | undefined {
  const engines = own(plugin.manifest, "engines")
  const range = isObject(engines) ? own(engines, "claude-code") : undefined
  return typeof range !== "string" || version === undefined || satisfies(version, range)
    ? undefined
    : `It needs Claude Code ${range}, this is ${version}.`
}

function inPlaceFolder(catalogue: Catalogue | undefined, source: unknown): string | undefined {
  if (catalogue === undefined || typeof source !== "string") return undefined
  const folder = sourceFolder(source, catalogue.pluginRoot)
  return kindInside(catalogue.root, folder) === "directory" ? join(catalogue.root, folder) : undefined
}

async function downloaded(context: PluginContext, url: string): Promise<string> {
  const { network: policy, progress } = context
  const file = await downloadFile(url, downloadsFolder(context), { policy, maxBytes: MAX_ARCHIVE, progress })
  try {
    return await unpacked(context, file, basename(new URL(url).pathname))
  } finally {
    rmSync(file, { force: true })
  }
}

/** An archive is unpacked for as long as this process lives; the next install sweeps it away. */
async function unpacked(context: PluginContext, path: string, name = basename(path)): Promise<string> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return path
  const folder = join(makeStage(join(context.home.plugins, "cache")), name.replace(/\.(zip|tar|tgz|tar\.gz)$/i, ""))
  await unpack(path, folder)
  liftSingleFolder(folder)
  vetTree(folder)
  return folder
}

function pluginFolders(folder: string): string[] {
  if (existsSync(join(folder, MANIFEST_FILE))) return [folder]
  const below = listFolders(folder)
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, MANIFEST_FILE)))
  return below.length > 0 ? below : [folder]
}

function nameOrNone(folder: string): string | undefined {
  try {
    return readPlugin(folder).name
  } catch {
    return undefined
  }
}

function parseIdOrNone(id: string): { name: string; marketplace: string } | undefined {
  try {
    return parseId(id)
  } catch {
    return undefined
  }
}
