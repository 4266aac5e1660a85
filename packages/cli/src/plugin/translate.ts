import { mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import {
  agreeTo,
  checkCodexFolder,
  CODEX_MARKETPLACE,
  isTranslatable,
  loadPlugins,
  type PluginContext,
  settleTranslations,
  type Translatable,
  translate,
  type TranslationReport,
  writeTranslation,
} from "@chorus/plugins"
import { ChorusError } from "@chorus/contracts"
import { Argument, Command } from "commander"
import { paint, printJson } from "../output.ts"
import { consentFrom } from "./consent.ts"
import { acceptOption, commandContext, say, warn } from "./context.ts"

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
    .action(translateAll)
}

async function translateAll(
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
  if (target === "codex") checkCodexFolder(out)
  const reports = chosen.map((loaded) => ({ loaded, report: translate(context, loaded, target, out) }))
  if (options.json !== true) for (const { report } of reports) show(report)
  if (options.dryRun !== true) {
    await agreeTo(context, chosen, consentFrom(options))
    // It may be the first thing in the data directory, which is its owner's alone.
    makeFolder(out)
    for (const { loaded, report } of reports) await writeTranslation(context, loaded, report, out)
  }
  const ofProject = chosen.filter(({ record }) => record !== undefined && record.scope !== "user").map(({ id }) => id)
  if (ofProject.length > 0)
    warn([`${ofProject.join(", ")} is installed for this project, and what is in ${out} runs in every folder.`])
  if (options.json === true) return printJson(reports.map(({ report }) => report))
  if (target === "codex" && options.dryRun !== true)
    say(
      "",
      `Now: codex plugin marketplace add ${out} && ${chosen.map(({ plugin }) => `codex plugin add ${plugin.name}@${CODEX_MARKETPLACE}`).join(" && ")}`,
    )
}

function makeFolder(out: string): void {
  try {
    mkdirSync(out, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new ChorusError(
      "folder_unwritable",
      `${out} cannot be made: ${cause instanceof Error ? cause.message : ""}.`,
      {
        next: "Name another folder with --out.",
        cause,
      },
    )
  }
}

/** After a command that changed what runs here: what was translated before follows, and whoever ran it is told. */
export async function followPlugins(json: boolean | undefined): Promise<void> {
  warn(
    (await settleTranslations(commandContext({ json }))).map(({ id, folder, became, next }) =>
      [`What was translated of ${id} in ${folder} was ${became}.`, next].filter(Boolean).join(" "),
    ),
  )
}

/** What the policy leaves of them: a folder is loaded as a session would. */
async function choose(context: PluginContext, typed: string | undefined): Promise<Translatable[]> {
  const isFolder = typed !== undefined && /^[./]/.test(typed)
  const { plugins } = await loadPlugins(context, { sessionFolders: isFolder ? [typed] : [] })
  const asked = plugins.filter(({ id, origin }) =>
    isFolder ? origin === "session" : typed === undefined || id === typed || id.startsWith(`${typed}@`),
  )
  // What a folder depends on is translated by itself.
  const chosen = asked
    .filter(({ loads, errors }) => loads || (isFolder && errors.every(({ type }) => type === "dependency-unsatisfied")))
    .filter(isTranslatable)
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
