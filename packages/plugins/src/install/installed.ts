import { existsSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type InstalledPlugin, type PluginScope } from "@chorus/contracts"
import { type PluginOption, pluginOptions } from "../config/option.ts"
import type { PluginContext } from "../context.ts"
import { hashOrNone } from "../fetch/index.ts"
import { afterWithdrawal, listedAt, withdrawnFrom } from "../govern/lock-file.ts"
import { packagesStanding } from "../govern/packages.ts"
import { openAllMarketplaces } from "../marketplace/registry.ts"
import { isObject, type JsonObject, MANIFEST_FILE, own, type Plugin, readPlugin } from "../read/index.ts"
import { appliesHere, changeInstalled, type ClaudeHome, foldedId, readInstalled, skillRoots } from "../state/index.ts"
import { isIdPart } from "../validate/name-check.ts"

/** The id of an installed plugin from what a person typed: the id, or its name when only one is called so. */
export function findInstalled(context: PluginContext, typed: string): { id: string; records: InstalledPlugin[] } {
  const installed = readInstalled(context.home)
  const exact = installed.get(typed)
  if (exact !== undefined) return { id: typed, records: exact.filter((record) => appliesHere(context.home, record)) }
  const called = [...installed].filter(([id]) => id.slice(0, id.lastIndexOf("@")) === typed)
  const here = called.filter(([, records]) => records.some((record) => appliesHere(context.home, record)))
  const named = here.length > 0 ? here : called
  const only = named[0]
  if (named.length === 1 && only !== undefined)
    return { id: only[0], records: only[1].filter((record) => appliesHere(context.home, record)) }
  if (named.length > 1)
    throw new ChorusError("ambiguous_name", `"${typed}" is installed as ${named.map(([id]) => id).join(" and ")}.`, {
      status: 409,
      next: "Give the whole id.",
    })
  throw notInstalled(typed)
}

/** The folder of `<name>@skills-dir`, which loads by lying there and is in no record. */
export function skillsFolderOf(context: PluginContext, typed: string): string | undefined {
  const name = typed.endsWith("@skills-dir") ? typed.slice(0, -"@skills-dir".length) : ""
  if (!isIdPart(name)) return undefined
  return skillRoots(context.home)
    .map((root) => join(root, name))
    .find((folder) => existsSync(join(folder, MANIFEST_FILE)))
}

/** The records of a plugin that count here, one for each scope. */
export function recordsHere(context: PluginContext, id: string): InstalledPlugin[] {
  return (readInstalled(context.home).get(id) ?? []).filter((record) => appliesHere(context.home, record))
}

export function recordAt(context: PluginContext, id: string, scope: PluginScope): InstalledPlugin | undefined {
  return readInstalled(context.home)
    .get(id)
    ?.find((record) => isAt(context, record, scope))
}

export function isAt(context: PluginContext, record: InstalledPlugin, scope: PluginScope): boolean {
  return (
    record.scope === scope && (scope === "user" || scope === "managed" || record.projectPath === context.home.project)
  )
}

export function isUsed(home: ClaudeHome, installPath: string): boolean {
  return [...readInstalled(home).values()].flat().some((record) => record.installPath === installPath)
}

/** Every installation that counts here, or those of one scope. */
export function installationsHere(
  context: PluginContext,
  scope?: PluginScope,
): { readonly id: string; readonly scope: PluginScope }[] {
  return [...readInstalled(context.home)].flatMap(([id, records]) =>
    records
      .filter((record) => appliesHere(context.home, record) && (scope === undefined || record.scope === scope))
      .map((record) => ({ id, scope: record.scope })),
  )
}

/** The scope a plugin is installed in here. Of several, somebody has to say which is meant. */
export function installedScope(typed: string, records: readonly InstalledPlugin[]): PluginScope | undefined {
  const scopes = [...new Set(records.map(({ scope }) => scope))]
  if (scopes.length < 2) return scopes[0]
  throw new ChorusError(
    "scope_ambiguous",
    `The plugin "${typed}" is installed here in ${scopes.join(" and ")} scope.`,
    {
      status: 409,
      next: `Say which is meant: ${scopes.map((scope) => `--scope ${scope}`).join(" or ")}.`,
      details: { scopes },
    },
  )
}

/** Whether the files of an installation are those that are locked, with the Node packages that came with them. */
export function isIntact(
  home: ClaudeHome,
  record: InstalledPlugin,
  lock: { contentHash: string } | undefined,
): boolean {
  if (lock === undefined) return existsSync(record.installPath)
  const packages = packagesStanding(home, record.installPath)
  return hashOrNone(record.installPath) === lock.contentHash && packages !== "changed" && packages !== "missing"
}

/** What to tell of a plugin that is installed or locked here and that its marketplace, as it is here, does not list. */
export function withdrawnHere(context: PluginContext, id: string, scope: PluginScope): string[] {
  const { name, marketplace } = parseId(id)
  const catalogue = openAllMarketplaces(context).catalogues.get(marketplace)
  if (catalogue === undefined || catalogue.entries.has(name)) return []
  return [`${withdrawnFrom(id)} ${afterWithdrawal(id, listedAt(context.home, scope, id))}`]
}

const STRONGEST_FIRST: readonly string[] = ["managed", "local", "project", "user"]

/**
 * The records of a plugin with one of them renewed or added. Of those that count in a folder Claude Code runs the first,
 * whatever its scope: where their versions differ, the strongest has to stand first.
 */
export function withRecord(
  records: readonly InstalledPlugin[],
  record: InstalledPlugin,
  isSame: (one: InstalledPlugin) => boolean,
): InstalledPlugin[] {
  return inOrder([...records.filter((one) => !isSame(one)), record])
}

function inOrder(records: readonly InstalledPlugin[]): InstalledPlugin[] {
  if (new Set(records.map(({ installPath }) => installPath)).size < 2) return [...records]
  return records.toSorted((a, b) => STRONGEST_FIRST.indexOf(a.scope) - STRONGEST_FIRST.indexOf(b.scope))
}

/** Claude Code writes records in the order in which it made them. */
export async function putInOrder(home: ClaudeHome, id: string): Promise<void> {
  const records = readInstalled(home).get(id) ?? []
  if (inOrder(records).every((one, at) => one === records[at])) return
  await changeInstalled(home, id, inOrder)
}

/** The installation that counts here by its scope. */
export function strongest(records: readonly InstalledPlugin[]): InstalledPlugin | undefined {
  return STRONGEST_FIRST.map((scope) => records.find((record) => record.scope === scope)).find(
    (record) => record !== undefined,
  )
}

/** The command that brings the locked files of an installation back. */
export function repairCommand(id: string, scope: PluginScope): string {
  return `chorus plugin install ${id}${scope === "user" ? "" : ` --scope ${scope}`}`
}

/** What a plugin that is installed here may be asked for. */
export function installedOptions(context: PluginContext, typed: string): { id: string; options: PluginOption[] } {
  const { id, records } = findInstalled(context, typed)
  const [record] = records
  if (record === undefined) throw notInstalled(typed)
  return { id, options: pluginOptions(readInstalledPlugin(context, id, record)) }
}

/** An installed plugin with what its marketplace says about it, which may be all there is of a manifest. */
export function readInstalledPlugin(context: PluginContext, id: string, record: InstalledPlugin): Plugin {
  const at = id.lastIndexOf("@")
  const entry = openAllMarketplaces(context)
    .catalogues.get(id.slice(at + 1))
    ?.entries.get(id.slice(0, at))
  try {
    return readPlugin(record.installPath, entry?.data)
  } catch (error) {
    if (error instanceof ChorusError && error.code === "manifests_conflict") return readPlugin(record.installPath)
    throw error
  }
}

/** Two ids that fold to one data folder cannot both be installed. */
export function expectFreeFolder(home: ClaudeHome, id: string): void {
  const fold = (text: string) => (process.platform === "linux" ? foldedId(text) : foldedId(text).toLowerCase())
  const holder = [...readInstalled(home).keys()].find((other) => other !== id && fold(other) === fold(id))
  if (holder === undefined) return
  throw new ChorusError(
    "plugin_folder_held",
    `"${id}" was not installed: it would share its data folder with "${holder}".`,
    { status: 409, next: `Only one of the two can be installed. First: chorus plugin uninstall ${holder}.` },
  )
}

export function notInstalled(typed: string, scope?: PluginScope): ChorusError {
  const more = { status: 404, next: "Run chorus plugin list." }
  return scope === undefined
    ? new ChorusError("not_installed", `The plugin "${typed}" is not installed here.`, more)
    : new ChorusError("not_installed_at_scope", `The plugin "${typed}" is not installed in ${scope} scope.`, more)
}

/** Which installed plugins declare that they need `id`. */
export function dependentsOf(context: PluginContext, id: string): string[] {
  return [...dependencyEdges(context)]
    .filter(([other, needs]) => other !== id && needs.includes(id))
    .map(([other]) => other)
}

/** What every installed plugin needs. A plugin that cannot be read needs nothing. */
export function dependencyEdges(context: PluginContext): Map<string, string[]> {
  const edges = new Map<string, string[]>()
  for (const [id, records] of readInstalled(context.home)) {
    const record = records.find((one) => appliesHere(context.home, one))
    if (record === undefined) continue
    try {
      edges.set(id, dependenciesIn(readPlugin(record.installPath).manifest, parseId(id).marketplace).map(formatId))
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
      edges.set(id, [])
    }
  }
  return edges
}

export interface PluginId {
  readonly name: string
  readonly marketplace: string
}

export function formatId(id: PluginId): string {
  return `${id.name}@${id.marketplace}`
}

/** Reads `name@marketplace`. */
export function parseId(text: string): PluginId {
  const at = text.lastIndexOf("@")
  const [name, marketplace] = [text.slice(0, at), text.slice(at + 1)]
  if (at > 0 && isIdPart(name) && isIdPart(marketplace)) return { name, marketplace }
  throw new ChorusError("invalid_id", `"${text}" is not a plugin: it is called name@marketplace.`, {
    next: "Run chorus plugin list --available.",
  })
}

/** What a plugin needs, as one of its declarations says it. */
export interface Dependency extends PluginId {
  readonly range: string | undefined
}

/** The dependencies of a manifest or entry. A bare name means the marketplace of the one that declares it. */
export function dependenciesIn(data: JsonObject, marketplace: string): Dependency[] {
  const list = own(data, "dependencies")
  return (Array.isArray(list) ? list : []).flatMap((item) => dependencyOf(item, marketplace))
}

function dependencyOf(item: unknown, marketplace: string): Dependency[] {
  if (isObject(item) && typeof item["name"] === "string") {
    const range = typeof item["version"] === "string" && item["version"] !== "" ? item["version"] : undefined
    return [
      {
        name: item["name"],
        marketplace: typeof item["marketplace"] === "string" ? item["marketplace"] : marketplace,
        range,
      },
    ]
  }
  if (typeof item !== "string") return []
  const [name, second, third] = item.split("@")
  if (name === undefined || name === "") return []
  const isRange = second !== undefined && !isIdPart(second)
  const range = isRange ? second : third
  return [
    {
      name,
      marketplace: second === undefined || isRange ? marketplace : second,
      range: range === "" ? undefined : range,
    },
  ]
}
