import {
  configure,
  disableAll,
  disablePlugin,
  enablePlugin,
  installPlugin,
  prunePlugins,
  secretStore,
  uninstallPlugin,
  updatePlugin,
  addMarketplace,
  parseMarketplaceSource,
  installationsHere,
  lookForUpdates,
  applyWithdrawals,
  type InstallResult,
  type PluginContext,
  type Switched,
  type Updated,
} from "@chorus/plugins"
import { ChorusError, type PluginScope } from "@chorus/contracts"
import { Command } from "commander"
import { paint, printJson } from "../output.ts"
import { askOptions } from "./configure.ts"
import { consentFrom } from "./consent.ts"
import { type Failure, failureOf, partFailure } from "./failure.ts"
import { parsePairs } from "./pairs.ts"
import { askYes, isInteractive } from "./prompt.ts"
import { acceptOption, commandContext, counted, printResult, say, versionStep, warn, scopeOption } from "./context.ts"

interface InstallOptions {
  scope?: PluginScope
  config?: string[]
  marketplace?: string
  newest?: boolean
  yes?: boolean
  accept?: string[]
  json?: boolean
}

export function installCommand(): Command {
  return new Command("install")
    .alias("i")
    .description("Install a plugin: name@marketplace.")
    .argument("[plugin]", "name@marketplace, or the name alone; the menu when left out")
    .addOption(scopeOption())
    .option("--config <key=value...>", "set an option of the plugin")
    .option("--marketplace <source>", "add this marketplace first")
    .option("--newest", "take what is offered now instead of what is locked, and lock that")
    .option("-y, --yes", "accept what the plugin does on this machine")
    .addOption(acceptOption())
    .option("--json", "print one JSON object")
    .action(install)
}

async function install(plugin: string | undefined, options: InstallOptions, command: Command): Promise<void> {
  if (plugin === undefined) {
    if (options.json === true)
      throw new ChorusError("plugin_missing", "Say which plugin to install.", {
        next: "Give its name; chorus plugin list --available shows what there is.",
      })
    const { openMenu } = await import("./menu.ts")
    return openMenu(command.parent ?? command, "browse")
  }
  const context = commandContext(options)
  if (options.marketplace !== undefined)
    await addMarketplace(context, parseMarketplaceSource(options.marketplace), options.scope ?? "user")
  const result = await installPlugin(context, {
    plugin,
    scope: options.scope ?? "user",
    ask: consentFrom(options),
    config: parsePairs(options.config ?? []),
    newest: options.newest,
  })
  await report(context, result, options)
}

/** Prints what an install did; a person is then asked for what is still to be set. */
export async function report(
  context: PluginContext,
  result: InstallResult,
  options: { json?: boolean },
): Promise<void> {
  const { unset, ...rest } = result
  const what = result.already ? "is already installed" : `installed ${result.version}`
  const company = result.dependencies.length === 0 ? "" : ` with ${result.dependencies.join(", ")}`
  const message = `${result.id} ${what} (${result.scope})${company}`
  if (options.json === true)
    return printResult({
      command: "install",
      plugin: result.id,
      pluginId: result.id,
      ...rest,
      message,
      unsetOptions: unset.map((option) => option.key),
      unsetOptionCount: unset.length,
    })
  say(`${paint("green", "✔")} ${message}`)
  if (!result.enabled) say(`  It starts switched off: chorus plugin enable ${result.id}`)
  for (const note of result.notes) say(`  ${paint("dim", note)}`)
  for (const warning of result.warnings) say(`  ${paint("yellow", "⚠")} ${warning}`)
  if (unset.length === 0) return
  if (!isInteractive())
    return say(
      `  ${counted(unset.length, "option")} ${unset.length === 1 ? "is" : "are"} not set (${unset.filter((option) => option.required).length} required): chorus plugin configure ${result.id}`,
    )
  await configure(context.home, secretStore(context.home, context.env), result.id, unset, await askOptions(unset))
}

export function uninstallCommand(): Command {
  return new Command("uninstall")
    .alias("remove")
    .description("Remove a plugin.")
    .argument("<plugin>")
    .addOption(scopeOption())
    .option("--keep-data", "keep its data, options and secrets")
    .option("--prune", "remove what only it needed, too")
    .option("-y, --yes", "do not ask")
    .option("--json", "print one JSON object")
    .action(
      async (plugin: string, options: { scope?: PluginScope; keepData?: boolean; prune?: boolean; json?: boolean }) => {
        const result = await uninstallPlugin(commandContext(options), plugin, {
          scope: options.scope,
          keepData: options.keepData === true,
          prune: options.prune === true,
        })
        const message = `removed ${[result.id, ...result.pruned].join(", ")} (${result.scope})`
        if (options.json === true)
          return printResult({ command: "uninstall", plugin, pluginId: result.id, ...result, message })
        say(`${paint("green", "✔")} ${message}`)
        if (result.requiredBy.length > 0)
          say(`  ${paint("yellow", "⚠")} still needed by ${result.requiredBy.join(", ")}`)
      },
    )
}

interface EnableOptions {
  scope?: PluginScope
  yes?: boolean
  accept?: string[]
  json?: boolean
}

export function switchCommands(): Command[] {
  const enable = new Command("enable").description("Turn a plugin on.").argument("<plugin>")
  const disable = new Command("disable")
    .description("Turn a plugin off.")
    .argument("[plugin]")
    .option("-a, --all", "turn all off")
  for (const command of [enable, disable]) command.addOption(scopeOption()).option("--json", "print one JSON object")
  enable
    .option("-y, --yes", "accept what it does on this machine now")
    .addOption(acceptOption())
    .action(async (plugin: string, options: EnableOptions) => {
      const context = commandContext(options)
      showSwitch("enable", plugin, await enablePlugin(context, plugin, options.scope, consentFrom(options)), options)
    })
  disable.action(
    async (plugin: string | undefined, options: { scope?: PluginScope; json?: boolean; all?: boolean }) => {
      if (options.all === true) {
        const { off, stillOn } = await disableAll(commandContext(options), options.scope)
        if (stillOn.length > 0) process.exitCode = 1
        const message = `disabled ${off.join(", ") || "nothing: all were off"}`
        if (options.json === true)
          return printResult(
            { command: "disable", all: true, plugins: off, stillOn, message },
            stillOn.map((id) => failureOf(stillOnError(id))),
          )
        say(`${paint("green", "✔")} ${message}`)
        if (stillOn.length > 0)
          say(`${paint("red", "✘")} still on, by settings of a stronger scope: ${stillOn.join(", ")}`)
        return
      }
      if (plugin === undefined)
        throw new ChorusError("plugin_missing", "Say which plugin to disable.", { next: "Give its name, or --all." })
      showSwitch("disable", plugin, await disablePlugin(commandContext(options), plugin, options.scope), options)
    },
  )
  return [enable, disable]
}

function stillOnError(id: string): ChorusError {
  return new ChorusError("settings_still_on", `${id} stays on: settings of a stronger scope say so.`, {
    status: 409,
    next: "Turn it off there, or ask your administrator.",
  })
}

function showSwitch(command: string, plugin: string, result: Switched, options: { json?: boolean }): void {
  const { also = [] } = result
  const message = `${command}d ${result.id} (${result.scope})${also.length === 0 ? "" : ` with ${also.join(", ")}`}`
  if (options.json === true) return printResult({ command, plugin, pluginId: result.id, ...result, message })
  say(`${paint("green", "✔")} ${message}`)
  if (result.note !== undefined) say(`  ${paint("yellow", "⚠")} ${result.note}`)
}

export function updateCommand(): Command {
  return new Command("update")
    .description("Bring a plugin, or all, to what the marketplace offers.")
    .argument("[plugin]")
    .addOption(scopeOption())
    .option("--check", "only say what could be updated")
    .option("-y, --yes", "accept what it now does on this machine")
    .addOption(acceptOption())
    .option("--json", "print JSON")
    .action(
      async (
        plugin: string | undefined,
        options: { scope?: PluginScope; check?: boolean; yes?: boolean; accept?: string[]; json?: boolean },
      ) => {
        const context = commandContext(options)
        if (options.check === true) return showUpdates(context, options)
        const ask = consentFrom(options)
        if (plugin !== undefined) {
          const updated = await updatePlugin(context, plugin, { scope: options.scope, ask })
          const message = wordsOf(updated)
          if (options.json !== true) return sayUpdated(updated)
          const { outcome: updateOutcome, ...rest } = updated
          return printResult({ command: "update", plugin, pluginId: updated.id, updateOutcome, ...rest, message })
        }
        const withdrawn = await applyWithdrawals(context)
        const results: (Updated | (Failure & { id: string; scope: PluginScope }))[] = []
        for (const { id, scope } of installationsHere(context, options.scope))
          results.push(
            await updatePlugin(context, id, { scope, ask }).catch((error: unknown) => ({
              id,
              scope,
              ...partFailure(error),
            })),
          )
        const failed = results.filter((one) => one.outcome === "failed")
        if (failed.length > 0) process.exitCode = 1
        if (options.json === true) return printResult({ command: "update", updates: results, withdrawn }, failed)
        for (const { from, to } of withdrawn.renamed)
          say(to === undefined ? `${from} was withdrawn` : `${from} is now called ${to}`)
        for (const id of withdrawn.removed) say(`${id} was withdrawn by its marketplace and removed`)
        for (const one of results)
          if (one.outcome === "failed") say(`${paint("red", "✘")} ${one.id}: ${one.message} ${one.next ?? ""}`)
          else sayUpdated(one)
      },
    )
}

function sayUpdated(updated: Updated): void {
  say(wordsOf(updated))
  for (const note of updated.notes) say(`  ${paint("dim", note)}`)
  for (const warning of updated.warnings) say(`  ${paint("yellow", "⚠")} ${warning}`)
}

function wordsOf({ id, outcome, oldVersion, newVersion }: Updated): string {
  if (outcome === "pinned") return `${id} is pinned at ${newVersion}`
  if (outcome === "up_to_date") return `${id} is up to date at ${newVersion}`
  return `${paint("green", "✔")} ${id} ${versionStep(oldVersion, newVersion)}; restart Claude Code to use it`
}

async function showUpdates(context: PluginContext, options: { json?: boolean }): Promise<void> {
  const { updates, unreachable } = await lookForUpdates(context)
  warn(unreachable)
  if (options.json === true) return printJson(updates)
  if (updates.length === 0)
    return say(unreachable.length === 0 ? "Everything is up to date." : "Nothing newer is known here.")
  for (const one of updates)
    say(
      `${one.id}${one.problem === undefined ? ` ${versionStep(one.installed, one.available ?? "")}` : `: ${one.problem}`}`,
    )
}

export function pruneCommand(): Command {
  return new Command("prune")
    .alias("autoremove")
    .description("Remove plugins that came with others and that nobody needs any more.")
    .addOption(scopeOption())
    .option("--dry-run", "only say which")
    .option("-y, --yes", "do not ask")
    .option("--json", "print one JSON object")
    .action(async (options: { scope?: PluginScope; dryRun?: boolean; yes?: boolean; json?: boolean }) => {
      const context = commandContext(options)
      const scope = options.scope ?? "user"
      const orphans = await prunePlugins(context, scope, { dryRun: true })
      const asks =
        options.dryRun !== true &&
        options.yes !== true &&
        options.json !== true &&
        orphans.length > 0 &&
        isInteractive()
      const go = options.dryRun !== true && (!asks || (await askYes(`Remove ${orphans.join(", ")}?`)))
      if (go) await prunePlugins(context, scope)
      if (options.json === true) return printResult({ command: "prune", scope, plugins: orphans, removed: go })
      say(orphans.length === 0 ? "Nothing to prune." : `${go ? "Removed" : "Would remove"} ${orphans.join(", ")}.`)
    })
}
