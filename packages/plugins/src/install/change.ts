import { rmSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type PluginScope } from "@chorus/contracts"
import { forgetConfiguration, secretStore } from "../config/configure.ts"
import type { PluginContext } from "../context.ts"
import { makeStage, sweepStages } from "../fetch/index.ts"
import { askConsent, type AskConsent, keepConsent } from "../govern/consent.ts"
import { expectPin, readPins, setPin } from "../govern/lock-file.ts"
import type { Catalogue } from "../marketplace/catalogue.ts"
import { openAllMarketplaces } from "../marketplace/registry.ts"
import { followRename } from "../read/index.ts"
import { appliesHere, changeInstalled, dataFolder, readInstalled, setEnabled } from "../state/index.ts"
import { markOrphaned, withPluginLock } from "./cache.ts"
import {
  dependencyEdges,
  dependentsOf,
  findInstalled,
  formatId,
  installedScope,
  isAt,
  isIntact,
  isUsed,
  notInstalled,
  parseId,
  type PluginId,
  recordAt,
  skillsFolderOf,
  withdrawnHere,
} from "./installed.ts"
import { acceptCommand, commit } from "./install.ts"
import type { Locked } from "./locked.ts"
import { planInstall, requireEntry } from "./plan.ts"
import { alsoTelling, refreshQuietly } from "./refresh.ts"
import { expectUnchanged } from "./staged.ts"

export interface Uninstalled {
  readonly id: string
  readonly scope: PluginScope
  readonly requiredBy: readonly string[]
  readonly pruned: readonly string[]
  readonly keptData: boolean
}

/** Removes a plugin from a scope. With its last scope go its options, secrets, data and consent. */
export async function uninstallPlugin(
  context: PluginContext,
  typed: string,
  options: { scope?: PluginScope | undefined; keepData?: boolean; prune?: boolean } = {},
): Promise<Uninstalled> {
  const folder = skillsFolderOf(context, typed)
  if (folder !== undefined)
    throw new ChorusError("directory_loaded", `${typed} is loaded from ${folder} and was never installed.`, {
      status: 409,
      next: `Delete that folder, or turn it off: chorus plugin disable ${typed}.`,
    })
  const { id, records } = findInstalled(context, typed)
  const scope = options.scope ?? installedScope(typed, records)
  if (scope === undefined || !records.some((record) => isAt(context, record, scope))) throw notInstalled(typed, scope)
  const requiredBy = dependentsOf(context, id)
  await removeRecord(context, id, scope, options.keepData === true)
  const pruned = options.prune === true ? await prunePlugins(context, scope) : []
  return { id, scope, requiredBy, pruned, keptData: options.keepData === true }
}

/** Removes plugins that came only because others needed them and that nobody needs any more. */
export async function prunePlugins(
  context: PluginContext,
  scope: PluginScope,
  options: { dryRun?: boolean } = {},
): Promise<string[]> {
  const orphans = findOrphans(context, scope)
  if (options.dryRun !== true) for (const id of orphans) await removeRecord(context, id, scope, false)
  return orphans
}

/**
 * Removes one installation without asking who needs it; with `leaveProject` the files of the project stay as they are.
 */
export async function removeRecord(
  context: PluginContext,
  id: string,
  scope: PluginScope,
  keepData: boolean,
  leaveProject = false,
): Promise<void> {
  await withPluginLock(context.home, id, () => remove(context, id, scope, keepData, leaveProject))
}

async function remove(
  context: PluginContext,
  id: string,
  scope: PluginScope,
  keepData: boolean,
  leaveProject: boolean,
): Promise<void> {
  const { home } = context
  const gone = (readInstalled(home).get(id) ?? []).filter((record) => isAt(context, record, scope))
  if (!leaveProject) await setEnabled(home, scope, new Map([[id, undefined]]))
  await changeInstalled(home, id, (records) => records.filter((record) => !isAt(context, record, scope)))
  if (!leaveProject || scope !== "project") await setPin(home, scope, id, undefined)
  for (const record of gone) if (!isUsed(home, record.installPath)) markOrphaned(record.installPath, context.now())
  if (readInstalled(home).has(id)) return
  await keepConsent(home, id, undefined, context.now())
  if (keepData) return
  await forgetConfiguration(home, secretStore(home, context.env), id)
  rmSync(dataFolder(home, id), { recursive: true, force: true })
}

function findOrphans(context: PluginContext, scope: PluginScope): string[] {
  const installed = readInstalled(context.home)
  const edges = dependencyEdges(context)
  const here = [...installed].filter(([, records]) => records.some((record) => appliesHere(context.home, record)))
  const wanted = new Set(
    here
      .filter(([, records]) => records.some((record) => appliesHere(context.home, record) && record.auto !== true))
      .map(([id]) => id),
  )
  const queue = [...wanted]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const needed of edges.get(next) ?? []) {
      if (wanted.has(needed)) continue
      wanted.add(needed)
      queue.push(needed)
    }
  }
  return here
    .filter(
      ([id, records]) =>
        !wanted.has(id) && records.some((record) => isAt(context, record, scope) && record.auto === true),
    )
    .map(([id]) => id)
}

export interface Updated {
  readonly id: string
  readonly scope: PluginScope
  readonly outcome: "updated" | "up_to_date" | "pinned"
  readonly oldVersion: string
  readonly newVersion: string
  readonly dependencies: readonly string[]
  readonly warnings: readonly string[]
  readonly notes: readonly string[]
}

/** Brings a plugin to what its marketplace offers now. Asks again when what it does on this machine changed. */
export async function updatePlugin(
  context: PluginContext,
  typed: string,
  options: { scope?: PluginScope | undefined; ask: AskConsent; expect?: Locked },
): Promise<Updated> {
  const { id, records } = findInstalled(context, typed)
  const scope = options.scope ?? installedScope(typed, records)
  const record = scope === undefined ? undefined : recordAt(context, id, scope)
  if (scope === undefined || record === undefined) throw notInstalled(typed, scope)
  const pin = readPins(context.home, scope).get(id)
  const stopped: string[] = []
  const same = (outcome: Updated["outcome"]): Updated => ({
    id,
    scope,
    outcome,
    oldVersion: record.version,
    newVersion: record.version,
    dependencies: [],
    warnings: stopped,
    notes: [],
  })
  if (pin?.pinned === true) return same("pinned")
  const root = parseId(id)
  const { expect } = options
  const listed = openAllMarketplaces(context).catalogues.get(root.marketplace)?.entries
  if (expect?.fetchFrom === undefined)
    stopped.push(...(await refreshQuietly(context, root.marketplace, { force: true, ask: options.ask })))
  if (expect === undefined) expectListed(context, root, scope, { wasListed: listed?.has(root.name) === true, stopped })
  requireEntry(openAllMarketplaces(context).catalogues, root, expect)
  const cache = join(context.home.plugins, "cache")
  sweepStages(cache)
  const stage = makeStage(cache)
  try {
    const plan = await planInstall(context, {
      root,
      scope,
      stage,
      renew: new Set([id]),
      locks: new Map(expect === undefined ? [] : [[id, expect]]),
      acceptCommand: (name, source) => acceptCommand(name, source, options.ask),
    })
    const main = plan.staged.find((staged) => staged.id === id)
    if (main !== undefined) expectPin(scope, expect, main)
    const isSame =
      main?.version === record.version &&
      (pin === undefined || pin.contentHash === main.contentHash) &&
      isIntact(context.home, record, pin)
    if (main === undefined || isSame) return same("up_to_date")
    await askConsent(context.home, plan.staged, options.ask)
    for (const staged of plan.staged) expectUnchanged(staged)
    const notes: string[] = []
    for (const staged of plan.staged)
      notes.push(
        ...(await commit(context, staged, scope, {
          auto: staged.id !== id,
          keepSwitch: staged.id === id,
        })),
      )
    return {
      id,
      scope,
      outcome: "updated",
      oldVersion: record.version,
      newVersion: main.version,
      dependencies: plan.staged.map((staged) => staged.id).filter((other) => other !== id),
      warnings: [...stopped, ...plan.warnings],
      notes,
    }
  } catch (error) {
    throw alsoTelling(error, stopped)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

export interface AvailableUpdate {
  readonly id: string
  readonly scope: PluginScope
  readonly installed: string
  /** The installed version itself where the marketplace has other files of it now. */
  readonly available: string | undefined
  /** Whether only its files are others, so that the versions do not tell. */
  readonly sameVersion: boolean
  readonly problem: string | undefined
}

/** Refuses to update what its marketplace does not list any more: says what it is called now, or what can be done. */
function expectListed(
  context: PluginContext,
  root: PluginId,
  scope: PluginScope,
  { wasListed, stopped }: { wasListed: boolean; stopped: readonly string[] },
): void {
  const catalogue = openAllMarketplaces(context).catalogues.get(root.marketplace)
  if (catalogue === undefined || catalogue.entries.has(root.name)) return
  const now = renamed(catalogue, root)
  const told = wasListed ? stopped : [...withdrawnHere(context, formatId(root), scope), ...stopped]
  throw new ChorusError("not_found", now ?? told.join(" "), { status: 404 })
}

function renamed({ renames, entries }: Catalogue, { name, marketplace }: PluginId): string | undefined {
  const now = followRename(renames, name, new Set(entries.keys()))
  return now?.kind === "to"
    ? `It is now called ${now.name}@${marketplace}; chorus plugin update brings that.`
    : undefined
}

/** What updating would do to a plugin that the newest catalogue does not list under its name. */
function withdrawal(looked: ReadonlyMap<string, Catalogue>, root: PluginId): string | undefined {
  const catalogue = looked.get(root.marketplace)
  if (catalogue === undefined || catalogue.entries.has(root.name)) return undefined
  return (
    renamed(catalogue, root) ??
    `The marketplace "${root.marketplace}" no longer offers it. It runs here until you update the marketplace.`
  )
}

/**
 * What `updatePlugin` would change, for every plugin installed here. Nothing is installed; a plugin that cannot be
 * looked up says why.
 */
export async function checkUpdates(
  context: PluginContext,
  looked: ReadonlyMap<string, Catalogue> = new Map(),
): Promise<AvailableUpdate[]> {
  const cache = join(context.home.plugins, "cache")
  sweepStages(cache)
  const found = await Promise.all(
    [...readInstalled(context.home)].flatMap(([id, records]) =>
      records
        .filter((record) => isAt(context, record, record.scope))
        .map(async (record): Promise<AvailableUpdate> => {
          const about = { id, scope: record.scope, installed: record.version, sameVersion: false }
          const problem = withdrawal(looked, parseId(id))
          if (problem !== undefined) return { ...about, available: undefined, problem }
          const stage = makeStage(cache)
          try {
            const plan = await planInstall(context, {
              root: parseId(id),
              scope: record.scope,
              stage,
              renew: new Set([id]),
              locks: new Map(),
              looked,
              acceptCommand: () =>
                Promise.reject(
                  new ChorusError(
                    "command_source_refused",
                    "It is produced by a command, which is not run to look for updates.",
                    {},
                  ),
                ),
            })
            const main = plan.staged.find((staged) => staged.id === id)
            const pin = readPins(context.home, record.scope).get(id)
            const isSame =
              main?.version === record.version && (pin?.contentHash ?? main.contentHash) === main.contentHash
            const available = isSame ? undefined : main?.version
            return { ...about, available, sameVersion: available === record.version, problem: undefined }
          } catch (error) {
            if (!(error instanceof ChorusError)) throw error
            return { ...about, available: undefined, problem: error.message }
          } finally {
            rmSync(stage, { recursive: true, force: true })
          }
        }),
    ),
  )
  return found.filter((update) => update.available !== undefined || update.problem !== undefined)
}
