import { Command } from "commander"
import { initCommand, tagCommand } from "./author.ts"
import { claudeOnlyCommands } from "./claude-only.ts"
import { configureCommand } from "./configure.ts"
import { auditCommand, bindCommand, lockCommand, pinCommand, syncCommand, trustCommand } from "./govern.ts"
import { toldByFailures } from "./failure.ts"
import { installCommand, pruneCommand, switchCommands, uninstallCommand, updateCommand } from "./install.ts"
import { detailsCommand, listCommand } from "./list.ts"
import { marketplaceCommand } from "./marketplace.ts"
import { openMenu } from "./menu.ts"
import { followPlugins, translateCommand } from "./translate.ts"
import { validateCommand } from "./validate.ts"

/** The commands after which other plugins may run here, or other versions of them. */
const CHANGING = new Set(
  "plugin manage install uninstall enable disable update configure prune remove trust lock sync".split(" "),
)

/** `chorus plugin`: everything about plugins; without a sub-command, the menu. */
export function pluginCommand(): Command {
  const command = toldByFailures(
    new Command("plugin").alias("plugins").description("Validate, install and govern plugins."),
  )
  command.hook("postAction", async (_, action) => {
    const { check, dryRun, json } = action.opts<{ check?: boolean; dryRun?: boolean; json?: boolean }>()
    if (CHANGING.has(action.name()) && check !== true && dryRun !== true) await followPlugins(json)
  })
  command.action(() => openMenu(command))
  command
    .command("manage")
    .description("Open the menu at what is installed.")
    .action(() => openMenu(command, "installed"))
  const parts = [
    validateCommand(),
    initCommand(),
    tagCommand(),
    installCommand(),
    uninstallCommand(),
    ...switchCommands(),
    updateCommand(),
    listCommand(),
    detailsCommand(),
    configureCommand(),
    pruneCommand(),
    marketplaceCommand(),
    auditCommand(),
    trustCommand(),
    ...pinCommand(),
    lockCommand(),
    bindCommand(),
    syncCommand(),
    translateCommand(),
    ...claudeOnlyCommands(),
  ]
  for (const part of parts) command.addCommand(part)
  return command
}
