import { ChorusError, type PluginScope } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { checkPluginPolicy, readPolicy } from "../govern/policy.ts"
import type { Catalogue, CatalogueEntry } from "../marketplace/catalogue.ts"
import { guardPluginName } from "../marketplace/name-guard.ts"
import { openAllMarketplaces } from "../marketplace/registry.ts"
import { isObject, own, readPlugin } from "../read/index.ts"
import { appliesHere, readInstalled } from "../state/index.ts"
import { dependenciesIn, formatId, parseId, type PluginId } from "./installed.ts"
import { type Locked, lockedAddress } from "./locked.ts"
import { stagePlugin, stagePath, type StagedPlugin } from "./staged.ts"
import { chooseTag } from "./fetch-plugin.ts"
import { checkReach, closureOf, findCycle, type ClosureFacts } from "./dependencies.ts"

export interface InstallPlan {
  /** Dependencies first, the plugin that was asked for last. */
  readonly staged: readonly StagedPlugin[]
  readonly warnings: readonly string[]
}

interface PlanRequest {
  readonly root: PluginId
  readonly scope: PluginScope
  readonly stage: string
  /** Asked before a command of a marketplace is run to produce a plugin. */
  readonly acceptCommand: (id: string, source: unknown) => Promise<void>
  /** Replaced by newer versions even when installed. */
  readonly renew: ReadonlySet<string>
  /** These come as they are locked, whatever is offered now. */
  readonly locks: ReadonlyMap<string, Locked>
  /** Catalogues that were fetched to be looked at, instead of those at hand. */
  readonly looked?: ReadonlyMap<string, Catalogue>
}

/** Fetches a plugin and everything it needs into `stage`. Nothing is installed yet, and nothing stays when it fails. */
export async function planInstall(context: PluginContext, request: PlanRequest): Promise<InstallPlan> {
  const catalogues = new Map([...openAllMarketplaces(context).catalogues, ...(request.looked ?? [])])
  const installed = installedHere(context)
  const facts: ClosureFacts = {
    catalogueOf: (name) => catalogues.get(name),
    isInstalled: (id) => installed.has(id) && !request.renew.has(id),
  }
  const staged = new Map<string, StagedPlugin>()
  const warnings: string[] = []
  const ranges = rangesOfInstalled(context, installed)
  const needed = closureOf(request.root, facts)
  for (const one of needed) noteRanges(ranges, formatId(one), one.ranges)
  const queue = needed.map((one): [PluginId, PluginId] => [one, request.root])
  const root = formatId(request.root)
  // The plugin that was asked for comes last in the closure; its own manifest may need more, so it is fetched first.
  queue.reverse()
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const id = formatId(next[0])
    const wanted = ranges.get(id) ?? []
    if (staged.has(id) || (id !== root && facts.isInstalled(id) && wanted.length === 0)) continue
    const one = await stageOne(
      context,
      request,
      catalogues,
      next[0],
      id === root ? ownRanges(ranges, id, request.renew) : wanted,
      installed,
    )
    if (one === undefined) continue
    staged.set(id, one)
    for (const dependency of dependenciesIn(one.plugin.manifest, next[0].marketplace)) {
      const key = formatId(dependency)
      if (key === id) continue
      try {
        checkReach(request.root, next[0], dependency, facts)
      } catch (error) {
        if (!(error instanceof ChorusError)) throw error
        warnings.push(`${error.message} "${one.plugin.name}" will not load without it. ${error.next ?? ""}`.trim())
        continue
      }
      if (dependency.range !== undefined) noteRanges(ranges, key, [dependency.range])
      queue.push([dependency, next[0]])
    }
  }
  const cycle = findCycle(
    new Map(
      [...staged].map(([id, one]) => [id, dependenciesIn(one.plugin.manifest, one.catalogue.name).map(formatId)]),
    ),
  )
  if (cycle !== undefined)
    warnings.push(`Dependency cycle: ${cycle.join(" → ")}. They load together, but none can be removed alone.`)
  return { staged: [...staged.values()].toReversed(), warnings }
}

async function stageOne(
  context: PluginContext,
  request: PlanRequest,
  catalogues: ReadonlyMap<string, Catalogue>,
  id: PluginId,
  ranges: readonly string[],
  installed: ReadonlyMap<string, string>,
): Promise<StagedPlugin | undefined> {
  const text = formatId(id)
  const lock = request.locks.get(text)
  const { catalogue, entry } = requireEntry(catalogues, id, lock)
  checkPluginPolicy(readPolicy(context.home), text)
  guardPluginName(id.name, id.marketplace)
  const isThere = text !== formatId(request.root) && installed.has(text)
  if (lock !== undefined && !isThere && lockedAddress(context, catalogue, lock) !== undefined)
    return stagePlugin(context, catalogue, entry, stagePath(request.stage, text), {
      lock: { ...lock, scope: request.scope },
    })
  const tag = ranges.length > 0 ? await chooseTag(context, catalogue, entry, ranges) : undefined
  const at = request.renew.has(text) || text === formatId(request.root) ? undefined : installed.get(text)
  if (at !== undefined && (tag === undefined || at === `${tag.version}-${tag.commit.slice(0, 12)}`)) return undefined
  if (isObject(entry.source) && entry.source["source"] === "command") {
    if (readPolicy(context.home).noCommandSources)
      throw new ChorusError(
        "error_policy",
        `"${text}" is produced by a command, which your organisation does not allow.`,
        { status: 403, next: "Ask your administrator." },
      )
    if (text !== formatId(request.root))
      throw new ChorusError(
        "command_source_refused",
        `"${text}" is needed and is produced by a command; that is never run on another plugin's behalf.`,
        { status: 403, next: `Install it yourself first: chorus plugin install ${text}.` },
      )
    await request.acceptCommand(text, entry.source)
  }
  return stagePlugin(context, catalogue, entry, stagePath(request.stage, text), { tag })
}

/** The entry of a plugin, or why there is none. What is locked to an address needs none. */
export function requireEntry(
  catalogues: ReadonlyMap<string, Catalogue>,
  id: PluginId,
  lock?: Locked,
): { catalogue: Catalogue; entry: CatalogueEntry } {
  const catalogue = catalogues.get(id.marketplace)
  if (catalogue === undefined)
    throw new ChorusError("not_found", `No marketplace called "${id.marketplace}" was added.`, {
      status: 404,
      next: "Run chorus plugin marketplace add <source>.",
    })
  const entry = catalogue.entries.get(id.name)
  if (entry !== undefined) return { catalogue, entry }
  if (lock?.fetchFrom !== undefined)
    return { catalogue, entry: { name: id.name, source: lock.source ?? lock.fetchFrom, data: {}, problem: undefined } }
  throw new ChorusError("not_found", `The marketplace "${id.marketplace}" has no plugin "${id.name}".`, {
    status: 404,
    next: "To see what there is: chorus plugin list --available.",
  })
}

/** The id of a plugin somebody called by its name alone. */
export function findByName(context: PluginContext, name: string): PluginId {
  const found = [...openAllMarketplaces(context).catalogues]
    .filter(([, catalogue]) => catalogue.entries.has(name))
    .map(([marketplace]) => marketplace)
  const only = found[0]
  if (found.length === 1 && only !== undefined) return { name, marketplace: only }
  if (found.length === 0)
    throw new ChorusError("not_found", `No marketplace you added offers "${name}".`, {
      status: 404,
      next: "Run chorus plugin list --available, or add a marketplace.",
    })
  throw new ChorusError("ambiguous_name", `"${name}" is offered by ${found.join(", ")}.`, {
    status: 409,
    next: `Say which: chorus plugin install ${name}@${found[0]}.`,
  })
}

/** What is installed and counts in this project: id → version. */
export function installedHere(context: PluginContext): Map<string, string> {
  const here = new Map<string, string>()
  for (const [id, records] of readInstalled(context.home)) {
    const record = records.find((one) => appliesHere(context.home, one))
    if (record !== undefined) here.set(id, record.version)
  }
  return here
}

/** The version ranges installed plugins ask of each other. */
export function rangesOfInstalled(
  context: PluginContext,
  installed: ReadonlyMap<string, string>,
): Map<string, string[]> {
  const ranges = new Map<string, string[]>()
  for (const [id, records] of readInstalled(context.home)) {
    const record = records.find((one) => appliesHere(context.home, one))
    if (record === undefined || !installed.has(id)) continue
    try {
      const { manifest } = readPlugin(record.installPath)
      for (const dependency of dependenciesIn(manifest, parseId(id).marketplace))
        if (dependency.range !== undefined) noteRanges(ranges, formatId(dependency), [dependency.range])
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
    }
  }
  return ranges
}

/** A plugin somebody asks for by name is the newest one, unless an installed plugin limits it. */
function ownRanges(ranges: ReadonlyMap<string, string[]>, id: string, renew: ReadonlySet<string>): readonly string[] {
  return renew.has(id) ? (ranges.get(id) ?? []) : []
}

function noteRanges(ranges: Map<string, string[]>, id: string, more: readonly string[]): void {
  if (more.length > 0) ranges.set(id, [...(ranges.get(id) ?? []), ...more])
}

/** Whether a plugin starts switched off. */
export function startsDisabled(staged: StagedPlugin): boolean {
  return own(staged.plugin.manifest, "defaultEnabled") === false
}
