import { existsSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type PluginScope } from "@chorus/contracts"
import { secretStore } from "../config/configure.ts"
import type { PluginContext } from "../context.ts"
import { makeStage, sweepStages } from "../fetch/index.ts"
import { acceptedBefore, keepConsent } from "../govern/consent.ts"
import { readPins, setPin } from "../govern/lock-file.ts"
import { type AvailableUpdate, checkUpdates, removeRecord } from "../install/change.ts"
import { followRename, isObject, objectField } from "../read/index.ts"
import {
  appliesHere,
  changeJsonFile,
  changeKnown,
  type ClaudeHome,
  dataFolder,
  declaredMarketplaces,
  enabledIn,
  type Marketplace,
  moveInstalled,
  type MutableJson,
  readInstalled,
  readKnown,
  readSettings,
  SCOPES,
  section,
  setEnabled,
  setOrigin,
  settingsPath,
} from "../state/index.ts"
import { settleTranslations } from "../translate/translations.ts"
import { OFFICIAL_MARKETPLACES } from "../validate/name-check.ts"
import type { Catalogue } from "./catalogue.ts"
import {
  fetchMarketplace,
  isInPlace,
  marketplacesFolder,
  openAllMarketplaces,
  requireKnown,
  updateMarketplace,
} from "./registry.ts"

const WRITABLE: readonly PluginScope[] = ["user", "project", "local"]
const PROJECT_SCOPES = ["project", "local"] as const

export interface Withdrawn {
  readonly renamed: readonly { from: string; to: string | undefined }[]
  readonly removed: readonly string[]
}

/** Follows what marketplaces renamed, and removes what one withdrew if it says so. */
export async function applyWithdrawals(context: PluginContext): Promise<Withdrawn> {
  const renamed: { from: string; to: string | undefined }[] = []
  const removed: string[] = []
  for (const [marketplace, catalogue] of openAllMarketplaces(context).catalogues) {
    const live = new Set(catalogue.entries.keys())
    for (const id of idsFrom(context, marketplace)) {
      const name = id.slice(0, -marketplace.length - 1)
      const now = live.has(name) ? undefined : followRename(catalogue.renames, name, live)
      if (now?.kind === "to" || now?.kind === "gone") {
        const to = now.kind === "to" ? `${now.name}@${marketplace}` : undefined
        await rename(context, id, to)
        renamed.push({ from: id, to })
      } else if (!live.has(name) && catalogue.removesDeleted) {
        await removeEverywhere(context, id)
        for (const scope of WRITABLE) await setEnabled(context.home, scope, new Map([[id, undefined]]))
        await flag(context, id)
        removed.push(id)
      }
    }
  }
  return { renamed, removed }
}

export interface RemovedMarketplace {
  readonly name: string
  readonly scopes: readonly PluginScope[]
  readonly uninstalled: readonly string[]
  readonly stillDeclared: boolean
  /** The project one is in, where its own files named it or its plugins and do so no longer. */
  readonly takenOutOf: string | undefined
  /** Projects elsewhere whose own files name it; those are left to whoever works there. */
  readonly stillNamedBy: readonly string[]
}

/**
 * Removes a marketplace from one scope or all. With its last declaration go its plugins, and its copy on this machine.
 * One that only the files of this project still name is taken out of them.
 */
export async function removeMarketplace(
  context: PluginContext,
  name: string,
  scope?: PluginScope,
): Promise<RemovedMarketplace> {
  const isNamedHere = projectNames(context.home, name)
  const known = isNamedHere ? readKnown(context.home).get(name) : requireKnown(context, name)
  const declaring = WRITABLE.filter((one) => declaredMarketplaces(readSettings(context.home, one)).has(name))
  if (scope !== undefined && !declaring.includes(scope))
    throw new ChorusError("not_configured", `The marketplace "${name}" is not declared in ${scope} settings.`, {
      status: 404,
      next: "Leave out --scope to remove it everywhere.",
    })
  const scopes = scope === undefined ? declaring : [scope]
  for (const one of scopes) {
    await changeJsonFile(context.home, settingsPath(context.home, one), (content) => {
      if (isObject(content["extraKnownMarketplaces"])) delete section(content, "extraKnownMarketplaces")[name]
    })
  }
  if (declaring.some((one) => !scopes.includes(one)))
    return { name, scopes, uninstalled: [], stillDeclared: true, takenOutOf: undefined, stillNamedBy: [] }
  const installed = [...readInstalled(context.home)].filter(([id]) => isFrom(id, name))
  const uninstalled = installed.map(([id]) => id)
  for (const id of uninstalled) await removeEverywhere(context, id)
  if (known === undefined) await takeOutOfProject(context.home, name)
  const projects = new Set(installed.flatMap(([, records]) => records.flatMap(({ projectPath = [] }) => projectPath)))
  const stillNamedBy = [...projects].filter(
    (project) => project !== context.home.project && mayName({ ...context.home, project }, name),
  )
  await changeKnown(context.home, (all) => {
    delete all[name]
  })
  await setOrigin(context.home, name, undefined)
  if (known?.installLocation.startsWith(`${join(context.home.plugins, "marketplaces")}/`) === true)
    rmSync(known.installLocation, { recursive: true, force: true })
  const takenOutOf = isNamedHere && !projectNames(context.home, name) ? context.home.project : undefined
  return { name, scopes, uninstalled, stillDeclared: false, takenOutOf, stillNamedBy }
}

function isFrom(id: string, marketplace: string): boolean {
  return id.endsWith(`@${marketplace}`)
}

/** Whether files of the project itself name a marketplace: they declare it, switch plugins of it, or lock them. */
function projectNames(home: ClaudeHome, marketplace: string): boolean {
  const inSettings = PROJECT_SCOPES.map((scope) => readSettings(home, scope)).some(
    (settings) =>
      declaredMarketplaces(settings).has(marketplace) ||
      [...enabledIn(settings).keys()].some((id) => isFrom(id, marketplace)),
  )
  return inSettings || [...readPins(home, "project").keys()].some((id) => isFrom(id, marketplace))
}

/** The same of another project: what cannot be read there is no reason to stop here, and worth a look. */
function mayName(home: ClaudeHome, marketplace: string): boolean {
  try {
    return projectNames(home, marketplace)
  } catch (error) {
    if (error instanceof ChorusError) return true
    throw error
  }
}

async function takeOutOfProject(home: ClaudeHome, marketplace: string): Promise<void> {
  for (const scope of PROJECT_SCOPES) {
    const ids = [...enabledIn(readSettings(home, scope)).keys()].filter((id) => isFrom(id, marketplace))
    await setEnabled(home, scope, new Map(ids.map((id) => [id, undefined])))
  }
  for (const id of readPins(home, "project").keys())
    if (isFrom(id, marketplace)) await setPin(home, "project", id, undefined)
}

/** Removes what this machine has of a plugin; the files of other projects belong to whoever works there. */
async function removeEverywhere(context: PluginContext, id: string): Promise<void> {
  for (const record of readInstalled(context.home).get(id) ?? []) {
    const home = record.projectPath === undefined ? context.home : { ...context.home, project: record.projectPath }
    await removeRecord({ ...context, home }, id, record.scope, false, !appliesHere(context.home, record))
  }
}

/** Ids of a marketplace that settings or records mention. */
function idsFrom(context: PluginContext, marketplace: string): string[] {
  const mentioned = WRITABLE.flatMap((scope) => [...enabledIn(readSettings(context.home, scope)).keys()])
  const installed = [...readInstalled(context.home)]
    .filter(([, records]) => records.some((record) => appliesHere(context.home, record)))
    .map(([id]) => id)
  return [...new Set([...mentioned, ...installed])].filter(
    (id) => id.endsWith(`@${marketplace}`) && id.length > marketplace.length + 1,
  )
}

/**
 * Everything this machine keeps under an old id goes over to the new one; what the new one has already stays. The
 * record goes last.
 */
async function rename(context: PluginContext, from: string, to: string | undefined): Promise<void> {
  const { home } = context
  for (const scope of WRITABLE) {
    const said = enabledIn(readSettings(home, scope))
    if (said.has(from))
      await setEnabled(
        home,
        scope,
        new Map([[from, undefined], ...(to === undefined || said.has(to) ? [] : [[to, said.get(from)] as const])]),
      )
    if (isObject(objectField(readSettings(home, scope), "pluginConfigs")[from]))
      await changeJsonFile(home, settingsPath(home, scope), (content) =>
        moveKey(section(content, "pluginConfigs"), from, to),
      )
    const pin = readPins(home, scope).get(from)
    if (to !== undefined && pin !== undefined && !readPins(home, scope).has(to)) await setPin(home, scope, to, pin)
    await setPin(home, scope, from, undefined)
  }
  const accepted = acceptedBefore(home, from)
  if (to !== undefined && accepted !== undefined && acceptedBefore(home, to) === undefined)
    await keepConsent(home, to, accepted, context.now())
  if (accepted !== undefined) await keepConsent(home, from, undefined, context.now())
  if (to !== undefined) await moveOwn(context, from, to)
  await moveInstalled(home, from, to)
}

/** Secrets and data are a person's own: they follow a new name, and stay when there is none. */
async function moveOwn(context: PluginContext, from: string, to: string): Promise<void> {
  const secrets = secretStore(context.home, context.env)
  for (const owner of secrets.owners(from)) {
    const hidden = secrets.read(owner)
    const heir = to + owner.slice(from.length)
    await secrets.change(heir, { ...hidden, ...secrets.read(heir) })
    await secrets.change(owner, Object.fromEntries(Object.keys(hidden).map((key) => [key, undefined])))
  }
  const [old, next] = [dataFolder(context.home, from), dataFolder(context.home, to)]
  if (existsSync(old) && !existsSync(next)) renameSync(old, next)
}

function moveKey(map: MutableJson, from: string, to: string | undefined): void {
  if (!Object.hasOwn(map, from)) return
  if (to !== undefined && !Object.hasOwn(map, to)) map[to] = map[from]
  delete map[from]
}

/** Claude Code shows plugins a marketplace took back; it reads them from here. */
async function flag(context: PluginContext, id: string): Promise<void> {
  await changeJsonFile(context.home, join(context.home.plugins, "flagged-plugins.json"), (content) => {
    section(content, "plugins")[id] = { flaggedAt: context.now().toISOString() }
  })
}

/** All marketplaces, for listing. */
export function listMarketplaces(context: PluginContext) {
  const { catalogues, problems } = openAllMarketplaces(context)
  return [...readKnown(context.home)].map(([name, known]) => ({
    name,
    source: known.origin,
    installLocation: known.installLocation,
    lastUpdated: known.lastUpdated,
    plugins: catalogues.get(name)?.entries.size,
    problem: problems.get(name),
  }))
}

const EVERY_MS = 24 * 60 * 60 * 1000

export interface StartCheck {
  readonly withdrawn: Withdrawn
  readonly updates: readonly AvailableUpdate[]
  readonly unreachable: readonly string[]
}

/**
 * What a session does when it starts: catalogues that update themselves are fetched once a day, renames and withdrawals
 * are followed, and newer versions are told. None is installed: new code runs only after somebody agreed to it. What
 * Claude Code updated by itself reaches the other programs it was translated for.
 */
export async function checkAtStart(context: PluginContext): Promise<StartCheck> {
  const unreachable = await eachRemote(
    context,
    (name, marketplace) => updatesItself(context, name, marketplace) && !isFresh(context, marketplace),
    (name) => updateMarketplace(context, name),
  )
  const withdrawn = await applyWithdrawals(context)
  await settleTranslations(context)
  return { withdrawn, updates: await checkUpdates(context), unreachable }
}

/**
 * Newer versions by what the marketplaces offer at this moment; of one that cannot be reached, by the copy that is
 * here. Looking changes nothing: a copy that moves on decides what Claude Code loads.
 */
export async function lookForUpdates(context: PluginContext): Promise<Omit<StartCheck, "withdrawn">> {
  const used = new Set([...readInstalled(context.home).keys()].map((id) => id.slice(id.lastIndexOf("@") + 1)))
  const looked = new Map<string, Catalogue>()
  const stages: string[] = []
  sweepStages(marketplacesFolder(context))
  try {
    const unreachable = await eachRemote(
      context,
      (name) => used.has(name),
      async (name) => {
        const stage = makeStage(marketplacesFolder(context))
        stages.push(stage)
        looked.set(name, await fetchMarketplace(context, name, stage))
      },
    )
    return { updates: await checkUpdates(context, looked), unreachable }
  } finally {
    for (const stage of stages) rmSync(stage, { recursive: true, force: true })
  }
}

/** Fetches the marketplaces that are wanted, and tells which cannot be reached. */
async function eachRemote(
  context: PluginContext,
  wanted: (name: string, marketplace: Marketplace) => boolean,
  fetch: (name: string) => Promise<unknown>,
): Promise<string[]> {
  const unreachable: string[] = []
  for (const [name, marketplace] of readKnown(context.home)) {
    const { origin } = marketplace
    if (isInPlace(origin) || origin.source === "settings" || !wanted(name, marketplace)) continue
    try {
      await fetch(name)
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
      unreachable.push(`${name}: ${error.message} Its copy here is of ${marketplace.lastUpdated ?? "an unknown day"}.`)
    }
  }
  return unreachable
}

/** Settings decide first, then what is recorded; on their own only official marketplaces do. */
function updatesItself(context: PluginContext, name: string, marketplace: Marketplace): boolean {
  for (const scope of SCOPES.toReversed()) {
    const declared = declaredMarketplaces(readSettings(context.home, scope)).get(name)
    if (isObject(declared) && typeof declared["autoUpdate"] === "boolean") return declared["autoUpdate"]
  }
  return marketplace.autoUpdate ?? OFFICIAL_MARKETPLACES.has(name)
}

function isFresh(context: PluginContext, marketplace: Marketplace): boolean {
  return (
    marketplace.lastUpdated !== undefined && context.now().getTime() - Date.parse(marketplace.lastUpdated) < EVERY_MS
  )
}
