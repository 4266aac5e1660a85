import {
  addMarketplace,
  applyWithdrawals,
  auditPlugins,
  contributionOf,
  disablePlugin,
  enablePlugin,
  installationsHere,
  installPlugin,
  listMarketplaces,
  loadPlugins,
  lookForUpdates,
  openAllMarketplaces,
  readPins,
  parseMarketplaceSource,
  removeMarketplace,
  setPinned,
  uninstallPlugin,
  updateMarketplace,
  updatePlugin,
  describeSource,
  type LoadedPlugin,
} from "@chorus/plugins"
import { ChorusError, type PluginScope } from "@chorus/contracts"
import type { Command } from "commander"
import { paint, printError } from "../output.ts"
import { configurePlugin } from "./configure.ts"
import { consentFrom } from "./consent.ts"
import { report } from "./install.ts"
import { askLine, askYes, isInteractive, pick } from "./prompt.ts"
import { commandContext, counted, say, versionStep, warn } from "./context.ts"

export type MenuPage = "installed" | "browse" | "updates" | "marketplaces" | "audit"

/**
 * The menu: what is installed, what there is, where it comes from, and what to look at. Without a terminal, the help.
 * It opens with what is known here; only who asks for newer versions waits for the network.
 */
export async function openMenu(command: Command, page?: MenuPage): Promise<void> {
  if (!isInteractive()) return command.outputHelp()
  for (const id of (await applyWithdrawals(commandContext())).removed)
    say(`${id} was withdrawn by its marketplace and removed.`)
  if (page !== undefined) await openPage(page)
  for (;;) {
    const choice = await pick("Plugins", await mainItems())
    if (choice === undefined) return
    await openPage(choice.page)
  }
}

async function mainItems(): Promise<{ label: string; hint: string; page: MenuPage }[]> {
  const context = commandContext()
  const { plugins } = await loadPlugins(context)
  const { catalogues } = openAllMarketplaces(context)
  const offered = [...catalogues.values()].reduce((sum, catalogue) => sum + catalogue.entries.size, 0)
  return [
    {
      label: "Installed",
      hint: `${counted(plugins.length, "plugin")}, ${plugins.filter((plugin) => plugin.loads).length} on`,
      page: "installed",
    },
    { label: "Browse", hint: `${offered} on offer`, page: "browse" },
    { label: "Updates", hint: "look for newer versions", page: "updates" },
    { label: "Marketplaces", hint: `${catalogues.size} added`, page: "marketplaces" },
    { label: "Audit", hint: "what to look at", page: "audit" },
  ]
}

async function openPage(page: MenuPage): Promise<void> {
  if (page === "installed") return installedPage()
  if (page === "browse") return browsePage()
  if (page === "updates") return updatesPage()
  if (page === "marketplaces") return marketplacesPage()
  const context = commandContext()
  for (const finding of auditPlugins(context, (await loadPlugins(context)).plugins))
    say(`${finding.severity.padEnd(6)} ${finding.id} ${finding.message}`)
  await askLine(paint("dim", "Enter goes back "))
}

async function installedPage(): Promise<void> {
  for (;;) {
    const { plugins } = await loadPlugins(commandContext())
    const chosen = await pick(
      "Installed plugins",
      plugins.map((plugin) => ({
        label: `${plugin.loads ? "●" : plugin.enabled ? "✘" : "○"} ${plugin.id}`,
        hint: `${plugin.version} ${plugin.errors[0]?.message ?? ""}`,
        plugin,
      })),
    )
    if (chosen === undefined) return
    await pluginPage(chosen.plugin)
  }
}

async function pluginPage(plugin: LoadedPlugin): Promise<void> {
  const { id, record } = plugin
  const context = commandContext()
  const isOnce = installationsHere(context).filter((one) => one.id === id).length < 2
  const scope = isOnce ? undefined : record?.scope
  const cost = contributionOf(plugin)
  const isHeld = record !== undefined && readPins(context.home, record.scope).get(id)?.pinned === true
  const actions = [
    plugin.enabled
      ? { label: "Disable", run: async () => told(await disablePlugin(context, id, scope)) }
      : { label: "Enable", run: async () => told(await enablePlugin(context, id, scope, consentFrom({}))) },
    { label: "Update", run: () => update(id, scope) },
    { label: "Configure", run: () => configurePlugin(id) },
    isHeld
      ? { label: "Let updates through", run: async () => void (await setPinned(context, id, false, scope)) }
      : { label: "Hold at this version", run: async () => void (await setPinned(context, id, true, scope)) },
    {
      label: "Uninstall",
      run: async () => {
        if (await askYes(`Remove ${id} with its options and data?`)) await uninstallPlugin(context, id, { scope })
      },
    },
  ]
  const title = `${id} ${plugin.version} — ${counted(cost.skills.length, "skill")}, ${counted(cost.commands.length, "command")}, ${counted(cost.agents.length, "agent")}, ${counted(cost.hooks.length, "hook")}, ${counted(cost.mcpServers.length, "MCP server")}, about ${cost.tokens.always} tokens`
  const chosen = await pick(title, actions)
  if (chosen !== undefined) await guarded(chosen.run)
}

/** Shows why a switch has no effect here, where it has none. */
function told({ note }: { readonly note: string | undefined }): void {
  if (note !== undefined) say(`${paint("yellow", "⚠")} ${note}`)
}

async function updatesPage(): Promise<void> {
  const context = commandContext()
  say(paint("dim", "Looking for newer versions…"))
  const { updates, unreachable } = await lookForUpdates(context)
  warn(unreachable)
  const items = updates.map(({ id, scope, installed, available, problem = "" }) => ({
    label: id,
    hint: available === undefined ? problem : versionStep(installed, available),
    id,
    scope,
  }))
  const chosen = await pick("Newer versions", items)
  if (chosen !== undefined) await guarded(() => update(chosen.id, chosen.scope))
}

async function update(id: string, scope: PluginScope | undefined): Promise<void> {
  const { outcome, warnings } = await updatePlugin(commandContext(), id, { scope, ask: consentFrom({}) })
  say(outcome.replaceAll("_", " "))
  warn(warnings)
}

async function browsePage(): Promise<void> {
  const context = commandContext()
  const installed = new Set((await loadPlugins(context)).plugins.map((plugin) => plugin.id))
  const items = [...openAllMarketplaces(context).catalogues].flatMap(([name, catalogue]) =>
    [...catalogue.entries.values()]
      .filter((entry) => entry.problem === undefined)
      .map((entry) => ({
        label: `${installed.has(`${entry.name}@${name}`) ? "● " : ""}${entry.name}@${name}`,
        hint: typeof entry.data["description"] === "string" ? entry.data["description"] : "",
        id: `${entry.name}@${name}`,
      })),
  )
  const chosen = await pick("Browse plugins", items)
  if (chosen === undefined) return
  const scope = await pick(`Install ${chosen.id} for`, [
    { label: "you, everywhere", scope: "user" as const },
    { label: "everybody in this project", scope: "project" as const },
    { label: "you, in this project", scope: "local" as const },
  ])
  if (scope === undefined) return
  await guarded(async () =>
    report(context, await installPlugin(context, { plugin: chosen.id, scope: scope.scope, ask: consentFrom({}) }), {}),
  )
}

async function marketplacesPage(): Promise<void> {
  const context = commandContext()
  const known = listMarketplaces(context).map((one) => ({
    label: one.name,
    hint: `${counted(one.plugins ?? 0, "plugin")} from ${describeSource(one.source)} ${one.problem ?? ""}`,
    name: one.name,
  }))
  const chosen = await pick("Marketplaces", [...known, { label: "Add a marketplace…", hint: "", name: undefined }])
  if (chosen === undefined) return
  if (chosen.name === undefined) {
    const source = await askLine("owner/repo, address, folder: ")
    return source === ""
      ? undefined
      : guarded(async () =>
          say(`added ${(await addMarketplace(context, parseMarketplaceSource(source), "user")).name}`),
        )
  }
  const { name } = chosen
  const action = await pick(name, [
    {
      label: "Update",
      run: async () => {
        const { plugins, warnings } = await updateMarketplace(context, name)
        say(counted(plugins, "plugin"))
        warn(warnings)
      },
    },
    {
      label: "Remove",
      run: async () => {
        if (await askYes(`Remove ${name} and its plugins?`)) await removeMarketplace(context, name)
      },
    },
  ])
  if (action !== undefined) await guarded(action.run)
}

/** An error is shown and the menu goes on. */
async function guarded(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    printError(error, false)
    process.exitCode = 0
  }
}
