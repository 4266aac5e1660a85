import {
  applyWithdrawals,
  contributionOf,
  dataSize,
  executableSurface,
  installedNext,
  loadableFiles,
  loadPlugins,
  lookForUpdates,
  notInstalled,
  openAllMarketplaces,
  type Contribution,
  type LoadedPlugin,
  type PluginContext,
  previewPlugin,
  readPins,
  recordsHere,
} from "@chorus/plugins"
import { Command } from "commander"
import { paint, printJson, printTable, plain } from "../output.ts"
import { describeItem } from "./consent.ts"
import { commandContext, counted, say, warn } from "./context.ts"

interface ListOptions extends SessionOptions {
  json?: boolean
  available?: boolean
  details?: boolean
  updates?: boolean
  dataSize?: string | true
}

interface SessionOptions {
  pluginDir?: string[]
  pluginUrl?: string[]
}

const sessionOf = ({ pluginDir = [], pluginUrl = [] }: SessionOptions) => ({
  sessionFolders: pluginDir,
  sessionUrls: pluginUrl,
})

function withSession(command: Command): Command {
  return command
    .option("--plugin-dir <path...>", "also load these folders or archives, as a session would")
    .option("--plugin-url <url...>", "also load the archives at these addresses, as a session would")
}

export function listCommand(): Command {
  return withSession(new Command("list"))
    .alias("ls")
    .description("What is installed, what it brings and what it costs.")
    .option("--available", "what marketplaces offer")
    .option("--details", "every component and its cost in tokens")
    .option("--updates", "look for newer versions")
    .option("--data-size [plugin]", "how much each plugin, or this one, keeps in its data folder")
    .option("--json", "print JSON")
    .action(list)
}

async function list(options: ListOptions): Promise<void> {
  const context = commandContext(options)
  if (options.available === true) return listAvailable(context, options)
  await applyWithdrawals(context)
  const { plugins } = await loadPlugins(context, sessionOf(options))
  const { dataSize: measured } = options
  if (typeof measured === "string" && plugins.every(({ id }) => id !== measured)) throw notInstalled(measured)
  const sizeOf = ({ id }: LoadedPlugin) =>
    measured === true || measured === id ? dataSize(context.home, id) : undefined
  const { updates, unreachable } =
    options.updates === true ? await lookForUpdates(context) : { updates: [], unreachable: [] }
  warn(unreachable)
  if (options.json === true)
    return printJson(
      plugins
        .flatMap((plugin) => inEachScope(context, plugin))
        .map((plugin) => ({
          ...summary(plugin),
          ...pinState(context, plugin),
          ...(options.details === true ? { contributes: contributionOf(plugin) } : {}),
          dataSize: sizeOf(plugin),
          update: updates.find((one) => one.id === plugin.id)?.available,
        })),
    )
  const missing = [...readPins(context.home, "project").keys()].filter((id) => recordsHere(context, id).length === 0)
  if (missing.length > 0)
    warn([`This project's lock names what is not installed here: ${missing.join(", ")}. Run chorus plugin lock.`])
  const next = installedNext(context)
  if (next.length > 0)
    warn([
      `Settings turn on what is not installed: ${next.join(", ")}. Claude Code installs it when it starts, without showing what it does; chorus plugin install shows it first.`,
    ])
  if (plugins.length === 0) return say("No plugins are installed. Try chorus plugin list --available.")
  for (const plugin of plugins) {
    const state = plugin.loads
      ? paint("green", "● on ")
      : plugin.enabled
        ? paint("red", "✘ err")
        : paint("dim", "○ off")
    const newer = updates.find((one) => one.id === plugin.id)?.available
    const { same, others } = installationsOf(context, plugin)
    const scopes = same.map(({ record, origin }) => record?.scope ?? origin)
    say(
      `${state} ${paint("bold", plugin.id)} ${plugin.version} ${paint("dim", scopes.join(", "))}${pinState(context, plugin).pinned === true ? paint("yellow", " pinned") : ""}${newer === undefined ? "" : paint("yellow", newer === plugin.version ? " → other files" : ` → ${newer}`)}`,
    )
    for (const { record, version } of others) {
      const which = version === plugin.version ? `another build of ${version}` : version
      say(`      ${which} ${paint("dim", `${record?.scope ?? ""}, does not run here`)}`)
    }
    if (plugin.inPlace && plugin.origin === "marketplace")
      say(`      ${paint("dim", `read from ${plugin.folder}: what is changed there runs without a question`)}`)
    for (const { message, next } of plugin.errors) {
      say(`      ${paint("red", message)}`)
      if (next !== undefined) say(`      ${next}`)
    }
    for (const note of plugin.notes) say(`      ${paint("dim", note.message)}`)
    if (options.details === true) showContribution(contributionOf(plugin))
    const size = sizeOf(plugin)
    if (size !== undefined) say(`      ${"data".padEnd(13)} ${size} bytes`)
  }
}

async function listAvailable(context: PluginContext, options: ListOptions): Promise<void> {
  const { catalogues, problems } = openAllMarketplaces(context)
  const rows = [...catalogues].flatMap(([name, catalogue]) =>
    [...catalogue.entries.values()].map((entry) => ({
      id: `${entry.name}@${name}`,
      pluginId: `${entry.name}@${name}`,
      name: entry.name,
      marketplaceName: name,
      source: entry.source,
      description: typeof entry.data["description"] === "string" ? entry.data["description"] : "",
      version: typeof entry.data["version"] === "string" ? entry.data["version"] : undefined,
      problem: entry.problem,
    })),
  )
  if (options.json === true) {
    const installed = (await loadPlugins(context, sessionOf(options))).plugins
    const available = rows.filter(({ id }) => installed.every((plugin) => plugin.id !== id))
    return printJson({
      installed: installed.flatMap((plugin) => inEachScope(context, plugin)).map(summary),
      available,
      plugins: rows,
      marketplaceProblems: Object.fromEntries(problems),
    })
  }
  if (rows.length === 0) say("No marketplace offers a plugin here. To add one: chorus plugin marketplace add <source>.")
  else
    printTable(
      ["plugin", "description"],
      rows.map((row) => [
        row.id,
        row.problem === undefined ? plain(row.description.slice(0, 80)) : paint("red", plain(row.problem)),
      ]),
    )
  for (const [name, problem] of problems) say(paint("red", `${name}: ${problem}`))
}

export function detailsCommand(): Command {
  return withSession(new Command("details"))
    .description("One plugin: what it brings, does and costs.")
    .argument("<plugin>")
    .option("--json", "print JSON")
    .action(async (typed: string, options: SessionOptions & { json?: boolean }) => {
      const context = commandContext(options)
      const { plugins } = await loadPlugins(context, sessionOf(options))
      const plugin = plugins.find((one) => one.id === typed || one.id.startsWith(`${typed}@`))
      if (plugin === undefined)
        return previewPlugin(context, typed, (offer, source) => {
          const from = typeof source === "string" ? source : JSON.stringify(source)
          const where = `not installed; its marketplace offers it from ${from}`
          showDetails({ ...summary(offer), installed: false, source }, offer, where, options)
        })
      showDetails({ ...summary(plugin), ...pinState(context, plugin), installed: true }, plugin, plugin.folder, options)
    })
}

function showDetails(
  told: Record<string, unknown>,
  plugin: LoadedPlugin,
  where: string,
  options: { json?: boolean },
): void {
  const surface =
    plugin.plugin === undefined || plugin.inventory === undefined
      ? undefined
      : executableSurface(plugin.plugin, plugin.inventory, told["source"])
  const { files, lines, unread } =
    surface === undefined ? { files: 0, lines: [], unread: [] } : loadableFiles(plugin.folder, surface)
  if (options.json === true)
    return printJson({ ...told, contributes: contributionOf(plugin), surface, files, flaggedLines: lines, unread })
  say(
    `${paint("bold", plugin.id)} ${plugin.version}${told["pinned"] === true ? paint("yellow", " pinned") : ""}`,
    `  ${where}`,
  )
  showContribution(contributionOf(plugin))
  if (surface !== undefined && surface.items.length > 0)
    say("  on this machine it does:", ...surface.items.map((item) => `    ${describeItem(item)}`))
  if (files > 0) say(`  with ${counted(files, "file")} of its own`)
  for (const { path, line, does, text } of lines) say(`    ${paint("red", "!")} ${path}:${line} ${does}: ${text}`)
  for (const path of unread) say(`    ${path} could not be looked through: not text, or too long`)
  for (const error of plugin.errors) say(`  ${paint("red", error.message)}`)
}

/** A plugin once for each scope that it is installed in here, as Claude Code lists it. */
function inEachScope(context: PluginContext, plugin: LoadedPlugin): LoadedPlugin[] {
  if (plugin.record === undefined) return [plugin]
  return recordsHere(context, plugin.id).map((record) => ({ ...plugin, record, version: record.version }))
}

/** The installations of a plugin that are the files that run here, and those that are others. */
function installationsOf(context: PluginContext, plugin: LoadedPlugin) {
  const { true: same = [], false: others = [] } = Object.groupBy(inEachScope(context, plugin), ({ record }) =>
    String(plugin.inPlace || record?.installPath === plugin.record?.installPath),
  )
  return { same, others }
}

/** Whether a plugin's bytes are locked, and whether it is held at them. */
function pinState(context: PluginContext, { id, record }: LoadedPlugin): { locked?: boolean; pinned?: boolean } {
  if (record === undefined) return {}
  const pin = readPins(context.home, record.scope).get(id)
  return { locked: pin !== undefined, pinned: pin?.pinned === true }
}

function summary(plugin: LoadedPlugin): Record<string, unknown> {
  return {
    id: plugin.id,
    version: plugin.version,
    scope: plugin.record?.scope,
    origin: plugin.origin,
    enabled: plugin.enabled,
    loads: plugin.loads,
    installPath: plugin.record?.installPath,
    projectPath: plugin.record?.projectPath,
    ...(plugin.inPlace ? { readFromFolder: plugin.folder, folderVersion: plugin.plugin?.version } : {}),
    installedAt: plugin.record?.installedAt,
    lastUpdated: plugin.record?.lastUpdated,
    hasUserConfig: plugin.plugin?.manifest["userConfig"] === undefined ? undefined : true,
    errors: plugin.errors.map((error) => error.message),
    errorDetails: plugin.errors,
    notes: plugin.notes.map((note) => note.message),
  }
}

function showContribution(contribution: Contribution): void {
  const { id: _id, tokens, ...kinds } = contribution
  for (const [kind, names] of Object.entries(kinds))
    if (names.length > 0) say(`      ${kind.padEnd(13)} ${names.join(", ")}`)
  say(
    `      ${"cost".padEnd(13)} about ${tokens.always} tokens in every session${kinds.mcpServers.length > 0 ? ", plus its MCP tools" : ""}`,
  )
}
