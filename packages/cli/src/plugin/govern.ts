import { readFileSync } from "node:fs"
import {
  addLockedMarketplaces,
  agreeToWithdrawn,
  auditPlugins,
  bindClaudeCode,
  type Binding,
  checkLock,
  inLockedProject,
  installPlugin,
  loadPlugins,
  lockPath,
  readPins,
  restoreMarketplace,
  setPinned,
  syncPlugins,
  trustPlugin,
} from "@chorus/plugins"
import { ChorusError, CuratedSet, type PluginScope } from "@chorus/contracts"
import { Command } from "commander"
import { fileToRead } from "../data/named-file.ts"
import { paint, printJson, type Target, withTarget } from "../output.ts"
import { inWorkplace } from "../workplace.ts"
import { consentFrom } from "./consent.ts"
import { type Failure, failureOf, partFailure } from "./failure.ts"
import { askYes, isInteractive, readAll } from "./prompt.ts"
import { acceptOption, commandContext, counted, printResult, say, scopeOption } from "./context.ts"

export function auditCommand(): Command {
  return new Command("audit")
    .description("Look for what is unpinned, changed on disk or dangerous.")
    .option("--json", "print JSON")
    .action(async (options: { json?: boolean }) => {
      const context = commandContext(options)
      const { plugins } = await loadPlugins(context)
      const findings = auditPlugins(context, plugins)
      if (findings.some((finding) => finding.severity === "high")) process.exitCode = 1
      if (options.json === true) return printJson({ plugins: plugins.length, findings })
      const colours = { high: "red", medium: "yellow", low: "dim" } as const
      for (const finding of findings)
        say(
          `${paint(colours[finding.severity], finding.severity.padEnd(6))} ${paint("bold", finding.id)} ${finding.message} ${paint("dim", `[${finding.code}]`)}`,
          `       ${paint("dim", "fix:")} ${finding.fix}`,
        )
      say(`${counted(plugins.length, "plugin")}, ${counted(findings.length, "finding")}`)
    })
}

export function trustCommand(): Command {
  return new Command("trust")
    .description("Accept what an installed plugin is now, and lock its bytes.")
    .argument("<plugin>")
    .addOption(scopeOption())
    .option("-y, --yes", "accept without asking")
    .addOption(acceptOption())
    .option("--json", "print one JSON object")
    .action(
      async (plugin: string, options: { scope?: PluginScope; yes?: boolean; accept?: string[]; json?: boolean }) => {
        const { pin, warnings } = await trustPlugin(
          commandContext(options),
          plugin,
          consentFrom(options),
          options.scope,
        )
        if (options.json === true) return printResult({ command: "trust", plugin, pin, warnings })
        say(`${paint("green", "✔")} ${plugin} is locked at ${pin.version} ${paint("dim", pin.contentHash)}`)
        for (const warning of warnings) say(`  ${paint("yellow", "⚠")} ${warning}`)
      },
    )
}

export function pinCommand(): Command[] {
  return (
    [
      ["pin", true, "Hold a plugin at the bytes it has; updates leave it alone."],
      ["unpin", false, "Let updates reach a plugin again."],
    ] as const
  ).map(([name, pinned, does]) =>
    new Command(name)
      .description(does)
      .argument("<plugin>")
      .addOption(scopeOption())
      .option("--json", "print one JSON object")
      .action(async (plugin: string, options: { scope?: PluginScope; json?: boolean }) => {
        const pin = await setPinned(commandContext(options), plugin, pinned, options.scope)
        if (options.json === true) return printResult({ command: name, plugin, pin })
        say(`${paint("green", "✔")} ${plugin} ${pinned ? "is held at" : "may be updated from"} ${pin.version}`)
      }),
  )
}

export function lockCommand(): Command {
  return new Command("lock")
    .description("Bring this project to exactly the plugins of its lock file.")
    .option("--check", "only compare; exit code 1 when something differs")
    .option("-y, --yes", "accept what they do on this machine")
    .addOption(acceptOption())
    .option("--json", "print one JSON object")
    .action(async (options: { check?: boolean; yes?: boolean; accept?: string[]; json?: boolean }) => {
      const context = inLockedProject(commandContext(options))
      const wrong = options.check === true ? [] : await checkLock(context)
      const wanted = wrong.filter(({ kind }) => kind === "missing" || kind === "changed")
      const ask = consentFrom(options)
      if (wanted.length > 0) await addLockedMarketplaces(context, ask)
      const failed: (Failure & { id: string })[] = []
      const missing = wanted.filter(({ kind }) => kind === "missing").map(({ id }) => id)
      const warnings = await agreeToWithdrawn(context, missing, ask)
      const installed: string[] = []
      for (const { id } of wanted)
        await installPlugin(context, { plugin: id, scope: "project", ask, looked: true }).then(
          (done) => {
            installed.push(id)
            warnings.push(...done.notes)
          },
          (error: unknown) => failed.push({ id, ...partFailure(error) }),
        )
      const compared = await checkLock(context)
      const withdrawn = options.check === true ? [] : compared.filter(({ kind }) => kind === "withdrawn")
      const restored: string[] = []
      const homes = Map.groupBy(withdrawn, ({ id }) => homeOf(id))
      for (const [name, gone] of homes)
        await restoreMarketplace(
          context,
          name,
          gone.map(({ id }) => id),
          ask,
        ).then(
          (at) => at !== undefined && restored.push(`the marketplace ${name} is back at ${at}, which the lock names`),
          (error: unknown) => failed.push({ id: name, ...partFailure(error) }),
        )
      const findings = withdrawn.length === 0 ? compared : await checkLock(context)
      if (findings.length > 0) process.exitCode = 1
      const brought = installed.filter((id) => findings.every((finding) => finding.id !== id))
      const locked = readPins(context.home, "project").size
      const differs = findings.map(({ id, message }) =>
        failureOf(new ChorusError("lock_differs", `${id}: ${message}`, { status: 409 })),
      )
      if (options.json === true)
        return printResult(
          { command: "lock", locked, findings, failed, brought, restored, warnings },
          failed.length > 0 ? failed : differs,
        )
      for (const id of brought) say(`${paint("green", "✔")} brought ${id} as it is locked`)
      for (const line of restored) say(`${paint("green", "✔")} ${line}`)
      for (const warning of warnings) say(`${paint("yellow", "⚠")} ${warning}`)
      for (const { id, message, next } of failed) say(`${paint("red", "✘")} ${id}: ${message} ${next ?? ""}`)
      const said = new Set(failed.map(({ id }) => id))
      // What could not be brought back has been said with its reason; the way that failed is not told again.
      for (const { id, message } of findings.filter(({ id, kind }) => kind !== "withdrawn" || !said.has(homeOf(id))))
        say(`${paint("red", "≠")} ${id}: ${message}`)
      if (findings.length === 0)
        say(
          `${paint("green", "✔")} ${counted(locked, "plugin")} ${locked === 1 ? "is" : "are"} as ${lockPath(context.home, "project")} says`,
        )
    })
}

/** The marketplace of a plugin. */
function homeOf(id: string): string {
  return id.slice(id.lastIndexOf("@") + 1)
}

export function bindCommand(): Command {
  return new Command("bind")
    .description(
      "As an administrator: make Claude Code obey the lists of denied and allowed plugins too, for everybody here.",
    )
    .option("--own", "also the lists in your own settings")
    .option("-y, --yes", "write it without asking")
    .option("--json", "print one JSON object")
    .action(async (options: { own?: boolean; yes?: boolean; json?: boolean }) => {
      const { own, yes = false, json = false } = options
      const bound = await bindClaudeCode(commandContext(options), (binding) => agreeToBind(binding, yes, json), { own })
      if (json) return printResult({ command: "bind", ...bound })
      const { file, denied, leftOut } = bound
      if (bound.written && denied.length === 0)
        say(`${paint("green", "✔")} ${file} is gone: the lists deny nothing any more`)
      else if (denied.length > 0)
        say(`${paint("green", "✔")} ${file} keeps Claude Code from ${counted(denied.length, "plugin")}`)
      else if (leftOut.length === 0) say("The lists deny nothing that is here; Claude Code needs no rule.")
      if (leftOut.length > 0)
        say(`Only your own lists deny ${leftOut.join(", ")}; to bind everybody here to them: chorus plugin bind --own`)
    })
}

/** Shows what would be written before it is. */
async function agreeToBind({ file, denied, released }: Binding, yes: boolean, json: boolean): Promise<boolean> {
  const lines = [
    `${file}, which everybody on this machine is bound to, would say:`,
    ...denied.map((id) => `  ${paint("red", "off")}      ${id}`),
    ...released.map((id) => `  ${paint("green", "released")} ${id}`),
  ]
  if (!json) say(...lines)
  if (yes || (!json && isInteractive() && (await askYes("Write it?")))) return true
  throw new ChorusError("consent_required", `${file} was not written: nobody agreed to it.`, {
    status: 403,
    next: "Look at what it would say, then run the command again with --yes.",
    details: { file, denied, released },
  })
}

export function syncCommand(): Command {
  return withTarget(new Command("sync"))
    .description("Give this machine exactly the plugins that the workspace agreed on.")
    .option("--from <file>", "take the curated set from a file instead of the server; - for standard input")
    .option("-y, --yes", "accept what the set does on this machine")
    .addOption(acceptOption())
    .action(async (options: Target & { from?: string; yes?: boolean; accept?: string[] }) => {
      const set =
        options.from === undefined
          ? await inWorkplace(options, ({ call }) => call("chorus_get_curated_plugins", {}))
          : parseSet(await textOf(options.from))
      const result = await syncPlugins(commandContext(options), set, { ask: consentFrom(options) })
      if (result.failed.length > 0 || result.deviations.length > 0) process.exitCode = 1
      const deviates = result.deviations.map(({ id, kind }) =>
        failureOf(new ChorusError("set_differs", `${id}: ${kind.replaceAll("_", " ")}.`, { status: 409 })),
      )
      const failed = result.failed.map(({ id, error }) => ({ id, ...failureOf(error) }))
      if (options.json === true)
        return printResult({ command: "sync", ...result, failed }, failed.length > 0 ? failed : deviates)
      for (const { id, action } of result.done) say(`${paint("green", "✔")} ${action} ${id}`)
      for (const { id, message, next } of failed) say(`${paint("red", "✘")} ${id}: ${message} ${next ?? ""}`)
      for (const deviation of result.deviations)
        say(
          `${paint("yellow", "≠")} ${deviation.id}: ${deviation.kind.replaceAll("_", " ")}${deviation.expected === undefined ? "" : `, expected ${deviation.expected}`}${deviation.actual === undefined ? "" : `, got ${deviation.actual}`}`,
        )
      if (result.deviations.length === 0) say("This machine has exactly the curated set.")
    })
}

async function textOf(file: string): Promise<string> {
  return file === "-" ? readAll() : readFileSync(fileToRead(file), "utf8")
}

function parseSet(text: string): CuratedSet {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const parsed = CuratedSet.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ChorusError(
    "set_invalid",
    `This is not a curated set: ${parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ")}.`,
    { next: "Take the set as the server gives it." },
  )
}
