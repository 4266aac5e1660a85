import { homedir } from "node:os"
import { join, resolve } from "node:path"
import {
  codexFolder,
  loadPlugins,
  readInventory,
  readPlugin,
  knownValues,
  type KnownValues,
  translateToCodex,
  translateToOpencode,
  writeCodexMarketplace,
  type Plugin,
  type TranslationReport,
} from "@chorus/plugins"
import { ChorusError } from "@chorus/contracts"
import { Argument, Command } from "commander"
import { paint, printJson } from "../output.ts"
import { commandContext, say } from "./context.ts"

interface TranslateOptions {
  out?: string
  json?: boolean
}

export function translateCommand(): Command {
  return new Command("translate")
    .description("Carry plugins over to Codex or OpenCode, and say what could not come along.")
    .addArgument(new Argument("<target>", "where to").choices(["codex", "opencode"]))
    .argument("[plugin]", "an installed plugin or a plugin's folder; all that are on when left out")
    .option("--out <folder>", "where to write (codex: a new marketplace; opencode: its configuration folder)")
    .option("--json", "print JSON")
    .action(translate)
}

async function translate(
  target: "codex" | "opencode",
  typed: string | undefined,
  options: TranslateOptions,
): Promise<void> {
  const chosen = await choose(typed, options)
  const reports: TranslationReport[] = []
  const out = resolve(
    options.out ??
      (target === "codex" ? join(homedir(), ".chorus", "codex-plugins") : join(homedir(), ".config", "opencode")),
  )
  for (const { plugin, known } of chosen) {
    const inventory = readInventory(plugin)
    reports.push(
      target === "codex"
        ? translateToCodex(plugin, inventory, codexFolder(out, plugin), known)
        : translateToOpencode(plugin, inventory, out, known),
    )
  }
  const plugins = chosen.map(({ plugin }) => plugin)
  if (target === "codex") writeCodexMarketplace(out, "chorus", plugins)
  if (options.json === true) return printJson(reports)
  for (const report of reports) show(report)
  if (target === "codex")
    say(
      "",
      `Now: codex plugin marketplace add ${out} && ${plugins.map((plugin) => `codex plugin add ${plugin.name}@chorus`).join(" && ")}`,
    )
}

type Chosen = { readonly plugin: Plugin; readonly known?: KnownValues }

async function choose(typed: string | undefined, options: TranslateOptions): Promise<Chosen[]> {
  if (typed !== undefined && /^[./]/.test(typed)) return [{ plugin: readPlugin(resolve(typed)) }]
  const context = commandContext(options)
  const { plugins } = await loadPlugins(context)
  const chosen = plugins.filter(
    (plugin) => plugin.loads && (typed === undefined || plugin.id === typed || plugin.id.startsWith(`${typed}@`)),
  )
  if (chosen.length === 0)
    throw new ChorusError(
      "not_installed",
      typed === undefined ? "No plugin is on." : `No plugin called "${typed}" is on.`,
      { status: 404, next: "Run chorus plugin list." },
    )
  return chosen.flatMap(({ id, plugin }) =>
    plugin === undefined ? [] : [{ plugin, known: knownValues(context, id, plugin) }],
  )
}

function show(report: TranslationReport): void {
  say(paint("bold", `${report.plugin} → ${report.target}`))
  for (const { part, as, note } of report.carried)
    say(`  ${paint("green", "✔")} ${part} → ${as}${note === undefined ? "" : paint("dim", ` (${note})`)}`)
  for (const { part, why } of report.lost) say(`  ${paint("yellow", "–")} ${part}: ${why}`)
}
