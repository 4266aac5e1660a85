import {
  addMarketplace,
  describeSource,
  listMarketplaces,
  parseMarketplaceSource,
  removeMarketplace,
  updateMarketplace,
} from "@chorus/plugins"
import type { PluginScope } from "@chorus/contracts"
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
    })
}

function updateCommand(): Command {
  return new Command("update")
    .description("Fetch one marketplace, or all, anew.")
    .argument("[name]")
    .option("--json", "print JSON")
    .action(async (name: string | undefined, options: { json?: boolean }) => {
      const context = commandContext(options)
      const names = name === undefined ? listMarketplaces(context).map((one) => one.name) : [name]
      const results = await Promise.all(
        names.map(async (one) => {
          const update = updateMarketplace(context, one).then(({ entries }) => ({ name: one, plugins: entries.size }))
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
      for (const result of results)
        say(
          "outcome" in result
            ? `${paint("red", "✘")} ${result.name}: ${result.message}`
            : `${paint("green", "✔")} ${result.name}: ${counted(result.plugins, "plugin")}`,
        )
    })
}

function listCommand(): Command {
  return new Command("list")
    .alias("ls")
    .description("The marketplaces you added.")
    .option("--json", "print JSON")
    .action((options: { json?: boolean }) => {
      const known = listMarketplaces(commandContext(options))
      if (options.json === true)
        return printJson(
          known.map(({ name, source, installLocation, lastUpdated, plugins, problem }) => ({
            name,
            ...source,
            installLocation,
            lastUpdated,
            plugins,
            problem,
          })),
        )
      if (known.length === 0) return say("No marketplaces were added.")
      printTable(
        ["name", "plugins", "from"],
        known.map((one) => [
          one.name,
          one.problem === undefined ? String(one.plugins) : paint("red", "unreadable"),
          describeSource(one.source),
        ]),
      )
    })
}
