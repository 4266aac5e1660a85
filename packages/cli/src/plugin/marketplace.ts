import {
  addMarketplace,
  describeSource,
  fetchedVersion,
  listMarketplaces,
  parseMarketplaceSource,
  removeMarketplace,
  updateMarketplace,
} from "@chorus/plugins"
import { ChorusError, type PluginScope } from "@chorus/contracts"
import { Command } from "commander"
import { paint, printJson, printTable } from "../output.ts"
import { partFailure } from "./failure.ts"
import { commandContext, counted, printResult, say, scopeOption } from "./context.ts"

export function marketplaceCommand(): Command {
  const command = new Command("marketplace").alias("market").description("Add, update, list and remove marketplaces.")
  command.addCommand(addCommand())
  command.addCommand(removeCommand())
  command.addCommand(updateCommand())
  command.addCommand(listCommand())
  return command
}

function addCommand(): Command {
  return new Command("add")
    .description("Add a marketplace: owner/repo, a git address, a link, an archive, npm:<package>, a folder or a file.")
    .argument("<source>")
    .addOption(scopeOption())
    .option("--sparse <paths...>", "check out only these folders of a repository")
    .option("--json", "print one JSON object")
    .action(async (text: string, options: { scope?: PluginScope; sparse?: string[]; json?: boolean }) => {
      const source = parseMarketplaceSource(text)
      const sparse =
        options.sparse !== undefined && (source.source === "git" || source.source === "github")
          ? { sparsePaths: options.sparse }
          : {}
      const added = await addMarketplace(commandContext(options), { ...source, ...sparse }, options.scope ?? "user")
      const { already, name, plugins } = added
      const message = `${already ? "already there" : "added"}: ${name}, ${counted(plugins, "plugin")}`
      if (options.json === true)
        return printResult({ command: "marketplace-add", marketplace: name, ...added, message })
      say(`${paint("green", "✔")} ${message}`)
    })
}

function removeCommand(): Command {
  return new Command("remove")
    .alias("rm")
    .description("Remove a marketplace and, with its last declaration, its plugins.")
    .argument("<name>")
    .addOption(scopeOption())
    .option("--json", "print one JSON object")
    .action(async (name: string, options: { scope?: PluginScope; json?: boolean }) => {
      const removed = await removeMarketplace(commandContext(options), name, options.scope)
      const message = `removed ${name}${removed.stillDeclared ? " from that scope; it stays declared elsewhere" : ""}`
      if (options.json === true)
        return printResult({ command: "marketplace-remove", marketplace: name, ...removed, message })
      say(`${paint("green", "✔")} ${message}`)
      if (removed.uninstalled.length > 0) say(`  with it went ${removed.uninstalled.join(", ")}`)
      if (removed.takenOutOf !== undefined)
        say(`  the settings and the lock of ${removed.takenOutOf} no longer name it, for everybody who works there`)
      for (const project of removed.stillNamedBy)
        say(`  ${project} still names it. To take it out there: chorus plugin marketplace remove ${name}`)
    })
}

function updateCommand(): Command {
  return new Command("update")
    .description("Refresh one marketplace, or all.")
    .argument("[name]")
    .option("--at <state>", "put it back to a commit or npm version, until its next update")
    .option("--json", "print JSON")
    .action(async (name: string | undefined, options: { at?: string; json?: boolean }) => {
      const context = commandContext(options)
      if (options.at !== undefined && name === undefined)
        throw new ChorusError("marketplace_missing", "Say which marketplace to put back.", {
          next: "Give its name before --at.",
        })
      const names = name === undefined ? listMarketplaces(context).map((one) => one.name) : [name]
      const results = await Promise.all(
        names.map(async (one) => {
          const update = updateMarketplace(context, one, { at: options.at }).then((done) => ({ name: one, ...done }))
          return name === undefined ? update.catch((error: unknown) => ({ name: one, ...partFailure(error) })) : update
        }),
      )
      const failed = results.filter((result) => "outcome" in result)
      if (failed.length > 0) process.exitCode = 1
      if (options.json === true)
        return printResult(
          {
            command: "marketplace-update",
            marketplace: name,
            marketplaces: results,
            message: `updated ${names.join(", ")}`,
          },
          failed,
        )
      for (const result of results) {
        if ("outcome" in result) {
          say(`${paint("red", "✘")} ${result.name}: ${result.message}`)
          continue
        }
        say(`${paint("green", "✔")} ${result.name}: ${counted(result.plugins, "plugin")}`)
        for (const warning of result.warnings) say(`  ${paint("yellow", "⚠")} ${warning}`)
      }
    })
}

function listCommand(): Command {
  return new Command("list")
    .alias("ls")
    .description("The marketplaces you added.")
    .option("--json", "print JSON")
    .action(async (options: { json?: boolean }) => {
      const context = commandContext(options)
      const known = await Promise.all(
        listMarketplaces(context).map(async (one) => ({
          ...one,
          state: await fetchedVersion(context, one.source, one.installLocation),
        })),
      )
      if (options.json === true)
        return printJson(
          known.map(({ name, source, installLocation, lastUpdated, plugins, problem, state }) => ({
            name,
            ...source,
            state,
            installLocation,
            lastUpdated,
            plugins,
            problem,
          })),
        )
      if (known.length === 0) return say("No marketplaces were added.")
      printTable(
        ["name", "plugins", "at", "from"],
        known.map((one) => [
          one.name,
          one.problem === undefined ? String(one.plugins) : paint("red", "unreadable"),
          one.state?.slice(0, 12) ?? "",
          describeSource(one.source),
        ]),
      )
    })
}
