import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { ChorusError } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { contentHash } from "../fetch/index.ts"
import { agreeTo } from "../govern/trust.ts"
import { withPluginLock } from "../install/cache.ts"
import { loadPlugins } from "../load/load.ts"
import type { LoadedPlugin } from "../load/loaded.ts"
import { type Inventory, isObject, type Plugin, readText, stringField } from "../read/index.ts"
import { changeJsonFile, type ClaudeHome, readInstalled, readJsonFile, section } from "../state/index.ts"
import {
  CODEX_MARKETPLACE,
  codexFolder,
  listInCodex,
  removeEmptyMarketplace,
  removeFromCodex,
  translateToCodex,
} from "./codex.ts"
import { standardName } from "./markdown.ts"
import { removeFromOpencode, translateToOpencode } from "./opencode.ts"
import type { TranslationReport } from "./report.ts"
import { knownValues } from "./values.ts"

/** A plugin's parts in the folder of another program. */
interface TranslatedTo {
  readonly target: "codex" | "opencode"
  readonly folder: string
  /** What the plugin is called there. */
  readonly name: string
}

/** A translation that follows its plugin. */
interface Kept extends TranslatedTo {
  readonly id: string
  /** Where it was translated: what is on there is on in the other program. */
  readonly project: string | undefined
  /** A digest of what was translated; none while the plugin is off. */
  readonly of: string | undefined
  /** While it is off: Codex had a copy, and gets it back. */
  readonly wasAdded?: boolean
}

export interface TranslationChange extends TranslatedTo {
  readonly id: string
  readonly became: "renewed" | "removed"
  /** What a person has to do, where we cannot. */
  readonly next: string | undefined
}

/** A plugin that can be translated: one that was read. */
export type Translatable = LoadedPlugin & { readonly plugin: Plugin; readonly inventory: Inventory }

export function isTranslatable(loaded: LoadedPlugin): loaded is Translatable {
  return loaded.plugin !== undefined && loaded.inventory !== undefined
}

/** What of a plugin would come along into the folder of another program; nothing is written yet. */
export function translate(
  context: PluginContext,
  { id, plugin, inventory }: Translatable,
  target: TranslatedTo["target"],
  folder: string,
): TranslationReport {
  const known = knownValues(context, id, plugin)
  return target === "codex"
    ? translateToCodex(plugin, inventory, codexFolder(folder, plugin), known)
    : translateToOpencode(plugin, inventory, folder, known)
}

/** Writes what was shown and agreed to; where is remembered of an installed plugin, so that it follows that plugin. */
export async function writeTranslation(
  context: PluginContext,
  loaded: Translatable,
  report: TranslationReport,
  folder: string,
): Promise<void> {
  const { id, plugin, origin } = loaded
  report.write()
  if (report.target === "codex") listInCodex(folder, plugin)
  if (origin !== "marketplace") return
  const of = digestOf(context, loaded, report)
  await keep(context.home, {
    target: report.target,
    folder,
    name: plugin.name,
    id,
    project: context.home.project,
    of,
  })
}

/**
 * Brings every translation to what its plugin is now. A version that was replaced is deleted some day, so the other
 * program must start the new one; what is off or not agreed to goes until that changes, what is uninstalled for good.
 */
export async function settleTranslations(context: PluginContext): Promise<TranslationChange[]> {
  if (keptIn(context.home).length === 0) return []
  return withPluginLock(context.home, "translations", async () => {
    const changes: TranslationChange[] = []
    for (const [project, all] of Map.groupBy(keptIn(context.home), (kept) => kept.project ?? context.home.project)) {
      const there = { ...context, home: { ...context.home, project } }
      const { plugins } = await loadPlugins(there)
      for (const kept of all) {
        const change = await settle(there, kept, plugins)
        if (change !== undefined) changes.push({ ...kept, ...change })
      }
    }
    return changes
  })
}

type Settled = Pick<TranslationChange, "became" | "next"> | undefined

async function settle(context: PluginContext, kept: Kept, plugins: readonly LoadedPlugin[]): Promise<Settled> {
  const { id, target, folder, name } = kept
  const loaded = plugins.find((one) => one.id === id && one.loads)
  if (loaded === undefined || !isTranslatable(loaded) || loaded.plugin.name !== name) return remove(context, kept)
  const report = translate(context, loaded, target, folder)
  if (digestOf(context, loaded, report) === kept.of) return undefined
  try {
    await agreeTo(context, [loaded], () => false)
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    return remove(context, kept, `It is not what you agreed to: chorus plugin trust ${id}.`)
  }
  await writeTranslation(context, loaded, report, folder)
  if (target === "opencode") return { became: "renewed", next: undefined }
  const add = codexCommand("add", name)
  if (kept.wasAdded !== true && kept.of === undefined) return { became: "renewed", next: toRun(add) }
  const isAdded = kept.wasAdded === true || hasCopy(context, name)
  return { became: "renewed", next: isAdded ? await runCodex(context, add) : undefined }
}

async function remove(context: PluginContext, kept: Kept, why?: string): Promise<Settled> {
  const { id, target, folder, name } = kept
  if (target === "codex") removeFromCodex(folder, name)
  else removeFromOpencode(folder, name)
  const isAdded = target === "codex" && hasCopy(context, name)
  const comesBack = readInstalled(context.home).has(id)
  await keep(
    context.home,
    comesBack ? { ...kept, of: undefined, wasAdded: isAdded || kept.wasAdded === true } : { ...kept, id: undefined },
  )
  const copy = isAdded && kept.of !== undefined ? await runCodex(context, codexCommand("remove", name)) : undefined
  const market = target === "codex" && !comesBack ? await leaveCodex(context, folder) : undefined
  const next = [why, copy, market].filter((one) => one !== undefined).join(" ") || undefined
  return kept.of === undefined && next === undefined ? undefined : { became: "removed", next }
}

/** With the last plugin in a marketplace for Codex goes that too, from its folder and from what Codex knows. */
async function leaveCodex(context: PluginContext, folder: string): Promise<string | undefined> {
  const stillListed = keptIn(context.home).some((kept) => kept.target === "codex" && kept.folder === folder)
  if (stillListed || !removeEmptyMarketplace(folder)) return undefined
  const config = readText(join(codexHome(context), "config.toml")) ?? ""
  const [, entry = ""] = config.split(`[marketplaces.${CODEX_MARKETPLACE}]`)
  const isThis = entry.split("\n[")[0]?.includes(JSON.stringify(folder)) === true
  return isThis ? runCodex(context, ["plugin", "marketplace", "remove", CODEX_MARKETPLACE]) : undefined
}

function codexHome({ env, home }: PluginContext): string {
  return env["CODEX_HOME"] ?? join(home.home, ".codex")
}

/** Codex runs a copy that it made. */
function hasCopy(context: PluginContext, name: string): boolean {
  const copies = join(codexHome(context), "plugins", "cache", CODEX_MARKETPLACE)
  return existsSync(join(copies, standardName(name)))
}

/** Its command brings that copy along. Says what is left to a person. */
async function runCodex({ env }: PluginContext, args: readonly string[]): Promise<string | undefined> {
  return promisify(execFile)("codex", args, { env, timeout: 60_000 }).then(
    () => undefined,
    () => toRun(args),
  )
}

function codexCommand(verb: "add" | "remove", name: string): string[] {
  return ["plugin", verb, `${standardName(name)}@${CODEX_MARKETPLACE}`]
}

function toRun(args: readonly string[]): string {
  const what = args[1] === "marketplace" ? "the empty marketplace in its list" : "a copy of its own"
  return `Codex keeps ${what}: codex ${args.join(" ")}.`
}

/** Two translations with one digest have the same content. */
function digestOf(context: PluginContext, { id, plugin }: Translatable, { carried }: TranslationReport): string {
  const { options } = knownValues(context, id, plugin)
  const what = [plugin.folder, contentHash(plugin.folder), [...options], carried]
  return createHash("sha256").update(JSON.stringify(what)).digest("hex")
}

/** Remembers a translation; without an id it is forgotten. Of two with one name in one folder, the later one stays. */
async function keep(
  home: ClaudeHome,
  { target, folder, name, id, project, of, wasAdded }: Omit<Kept, "id"> & { id: string | undefined },
): Promise<void> {
  await changeJsonFile(
    home,
    translationsPath(home),
    (content) => {
      const folders = section(content, target)
      const names = section(folders, folder)
      if (id === undefined) delete names[name]
      else names[name] = { id, project, of, ...(wasAdded === true ? { wasAdded } : {}) }
      if (Object.keys(names).length === 0) delete folders[folder]
      if (Object.keys(folders).length === 0) delete content[target]
    },
    { dropEmpty: true },
  )
}

/** What of plugins is in the folders of other programs now. */
export function keptTranslations(home: ClaudeHome): readonly (TranslatedTo & { readonly id: string })[] {
  return keptIn(home).filter(({ of }) => of !== undefined)
}

function keptIn(home: ClaudeHome): Kept[] {
  const content = readJsonFile(translationsPath(home))
  return (["codex", "opencode"] as const).flatMap((target) =>
    entriesOf(content[target]).flatMap(([folder, plugins]) =>
      entriesOf(plugins).map(([name, value]) => ({ target, folder, name, ...keptFrom(value) })),
    ),
  )
}

/** Up to 0.20 only the id was kept. */
function keptFrom(value: unknown): Pick<Kept, "id" | "project" | "of" | "wasAdded"> {
  if (!isObject(value)) return { id: String(value), project: undefined, of: "" }
  return {
    id: String(value["id"]),
    project: stringField(value, "project"),
    of: stringField(value, "of"),
    wasAdded: value["wasAdded"] === true,
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

function translationsPath(home: ClaudeHome): string {
  return join(home.chorus, "translations.json")
}
