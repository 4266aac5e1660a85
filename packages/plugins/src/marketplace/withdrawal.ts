import { rmSync } from "node:fs"
import { ChorusError, type PluginScope } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { removeRecord } from "../install/uninstall.ts"
import { parseId } from "../install/plugin-id.ts"
import { followRename } from "../read/catalogue.ts"
import { isObject } from "../read/json.ts"
import { settingsPath } from "../state/claude-home.ts"
import { changeJsonFile, section, type MutableJson } from "../state/json-file.ts"
import { appliesHere, changeInstalled, changeKnown, readInstalled, readKnown, setOrigin } from "../state/records.ts"
import { declaredMarketplaces, readSettings } from "../state/settings.ts"
import { join } from "node:path"
import { openAllMarketplaces, requireKnown } from "./registry.ts"

const WRITABLE: readonly PluginScope[] = ["user", "project", "local"]

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
      const { name } = parseId(id)
      const rename = live.has(name) ? undefined : followRename(catalogue.renames, name, live)
      if (rename?.kind === "to" || rename?.kind === "gone") {
        const to = rename.kind === "to" ? `${rename.name}@${marketplace}` : undefined
        await moveKeys(context, id, to)
        renamed.push({ from: id, to })
      } else if (!live.has(name) && catalogue.removesDeleted) {
        await removeEverywhere(context, id)
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
}

/** Removes a marketplace from one scope or all. With its last declaration go its plugins, and its copy on this machine. */
export async function removeMarketplace(context: PluginContext, name: string, scope?: PluginScope): Promise<RemovedMarketplace> {
  const known = requireKnown(context, name)
  const declaring = WRITABLE.filter((one) => declaredMarketplaces(readSettings(context.home, one)).has(name))
  if (scope !== undefined && !declaring.includes(scope)) throw new ChorusError("not_configured", `The marketplace "${name}" is not declared in ${scope} settings.`, { status: 404, next: "Leave out --scope to remove it everywhere." })
  const scopes = scope === undefined ? declaring : [scope]
  for (const one of scopes) {
    await changeJsonFile(settingsPath(context.home, one), (content) => {
      if (isObject(content["extraKnownMarketplaces"])) delete section(content, "extraKnownMarketplaces")[name]
    })
  }
  if (declaring.some((one) => !scopes.includes(one))) return { name, scopes, uninstalled: [], stillDeclared: true }
  const uninstalled = [...readInstalled(context.home).keys()].filter((id) => id.endsWith(`@${name}`))
  for (const id of uninstalled) await removeEverywhere(context, id)
  await changeKnown(context.home, (all) => {
    delete all[name]
  })
  await setOrigin(context.home, name, undefined)
  if (known.installLocation.startsWith(`${join(context.home.plugins, "marketplaces")}/`)) rmSync(known.installLocation, { recursive: true, force: true })
  return { name, scopes, uninstalled, stillDeclared: false }
}

async function removeEverywhere(context: PluginContext, id: string): Promise<void> {
  for (const record of readInstalled(context.home).get(id) ?? []) {
    const home = record.projectPath === undefined ? context.home : { ...context.home, project: record.projectPath }
    await removeRecord({ ...context, home }, id, record.scope, false)
  }
}

/** Ids of a marketplace that settings or records mention. */
function idsFrom(context: PluginContext, marketplace: string): string[] {
  const mentioned = WRITABLE.flatMap((scope) => Object.keys(objectOf(readSettings(context.home, scope)["enabledPlugins"])))
  const installed = [...readInstalled(context.home)].filter(([, records]) => records.some((record) => appliesHere(context.home, record))).map(([id]) => id)
  return [...new Set([...mentioned, ...installed])].filter((id) => id.endsWith(`@${marketplace}`) && id.length > marketplace.length + 1)
}

async function moveKeys(context: PluginContext, from: string, to: string | undefined): Promise<void> {
  for (const scope of WRITABLE) {
    await changeJsonFile(settingsPath(context.home, scope), (content) => {
      for (const key of ["enabledPlugins", "pluginConfigs"]) if (isObject(content[key])) moveKey(section(content, key), from, to)
    })
  }
  const records = readInstalled(context.home).get(from) ?? []
  await changeInstalled(context.home, from, () => [])
  if (to !== undefined && !readInstalled(context.home).has(to)) await changeInstalled(context.home, to, () => records)
}

function moveKey(map: MutableJson, from: string, to: string | undefined): void {
  if (!Object.hasOwn(map, from)) return
  if (to !== undefined && !Object.hasOwn(map, to)) map[to] = map[from]
  delete map[from]
}

/** Claude Code shows plugins a marketplace took back; it reads them from here. */
async function flag(context: PluginContext, id: string): Promise<void> {
  await changeJsonFile(join(context.home.plugins, "flagged-plugins.json"), (content) => {
    section(content, "plugins")[id] = { flaggedAt: context.now().toISOString() }
  })
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? { ...value } : {}
}

/** All marketplaces, for listing. */
export function listMarketplaces(context: PluginContext) {
  const { catalogues, problems } = openAllMarketplaces(context)
  return [...readKnown(context.home)].map(([name, known]) => ({ name, source: known.origin, installLocation: known.installLocation, lastUpdated: known.lastUpdated, plugins: catalogues.get(name)?.entries.size, problem: problems.get(name) }))
}
