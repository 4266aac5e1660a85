import { homedir } from "node:os"
import { join, resolve } from "node:path"
import {
  agreeTo,
  checkCodexFolder,
  codexFolder,
  type Inventory,
  knownValues,
  type LoadedPlugin,
  loadPlugins,
  type Plugin,
  type PluginContext,
  recordTranslation,
  translateToCodex,
  translateToOpencode,
  type TranslationReport,
  writeCodexMarketplace,
} from "@chorus/plugins"
import { ChorusError } from "@chorus/contracts"
import { Argument, Command } from "commander"
import { paint, printJson } from "../output.ts"
import { consentFrom } from "./consent.ts"
import { acceptOption, commandContext, say } from "./context.ts"

const MARKETPLACE = "chorus"

interface TranslateOptions {
  out?: string
  dryRun?: boolean
  yes?: boolean
  accept?: string[]
  json?: boolean
}

export function translateCommand(): Command {
  return new Command("translate")
    .description("Carry plugins over to Codex or OpenCode, and say before what cannot come along.")
    .addArgument(new Argument("<target>", "where to").choices(["codex", "opencode"]))
    .argument("[plugin]", "an installed plugin or a plugin's folder; all that are on when left out")
    .option("--out <folder>", "where to write (codex: a new marketplace; opencode: its configuration folder)")
    .option("--dry-run", "only say what would come along and what would not")
    .option("-y, --yes", "accept what they do on this machine")
    .addOption(acceptOption())
    .option("--json", "print JSON")
    .action(translate)
}

async function translate(
  target: "codex" | "opencode",
  typed: string | undefined,
  options: TranslateOptions,
): Promise<void> {
  const context = commandContext(options)
  const chosen = await choose(context, typed)
  const out = resolve(
    options.out ??
      (target === "codex" ? join(homedir(), ".chorus", "codex-plugins") : join(homedir(), ".config", "opencode")),
  )
  if (target === "codex") checkCodexFolder(out, MARKETPLACE)
  const reports = chosen.map(({ id, plugin, inventory }) => {
    const known = knownValues(context, id, plugin)
    return target === "codex"
      ? translateToCodex(plugin, inventory, codexFolder(out, plugin), known)
      : translateToOpencode(plugin, inventory, out, known)
  })
  if (options.json !== true) for (const report of reports) show(report)
  if (options.dryRun !== true) {
    await agreeTo(
      context,
      chosen.map(({ loaded }) => loaded),
      consentFrom(options),
    )
    for (const report of reports) report.write()
    for (const { id, plugin, loaded } of chosen)
      if (loaded.origin === "marketplace")
        await recordTranslation(context.home, id, { target, folder: out, name: plugin.name })
    if (target === "codex")
      writeCodexMarketplace(
        out,
        MARKETPLACE,
        chosen.map(({ plugin }) => plugin),
      )
  }
  if (options.json === true) return printJson(reports)
  if (target === "codex" && options.dryRun !== true)
    say(
      "",
      `Now: codex plugin marketplace add ${out} && ${chosen.map(({ plugin }) => `codex plugin add ${plugin.name}@${MARKETPLACE}`).join(" && ")}`,
    )
}

interface Chosen {
  readonly id: string
  readonly plugin: Plugin
  readonly inventory: Inventory
  readonly loaded: LoadedPlugin
}

/** What the policy leaves of them: a folder is loaded as a session would. */
async function choose(context: PluginContext, typed: string | undefined): Promise<Chosen[]> {
  const isFolder = typed !== undefined && /^[./]/.test(typed)
  const { plugins } = await loadPlugins(context, { sessionFolders: isFolder ? [typed] : [] })
  const asked = plugins.filter(({ id, origin }) =>
    isFolder ? origin === "session" : typed === undefined || id === typed || id.startsWith(`${typed}@`),
  )
  const chosen = asked.flatMap((loaded) => {
    const { id, plugin, inventory, errors } = loaded
    // What a folder depends on is translated by itself.
    const usable = loaded.loads || (isFolder && errors.every(({ type }) => type === "dependency-unsatisfied"))
    return !usable || plugin === undefined || inventory === undefined ? [] : [{ id, plugin, inventory, loaded }]
  })
  if (chosen.length > 0) return chosen
  const why = asked.flatMap(({ errors }) => errors.map(({ message }) => ` ${message}`)).join("")
  throw new ChorusError(
    "not_installed",
    typed === undefined ? "No plugin is on." : `No plugin called "${typed}" is on.${why}`,
    { status: 404, next: "Run chorus plugin list." },
  )
}

function show(report: TranslationReport): void {
  say(paint("bold", `${report.plugin} → ${report.target}`))
  for (const { part, as, note } of report.carried)
    say(`  ${paint("green", "✔")} ${part} → ${as}${note === undefined ? "" : paint("dim", ` (${note})`)}`)
  for (const { part, why } of report.lost) say(`  ${paint("yellow", "–")} ${part}: ${why}`)
}
