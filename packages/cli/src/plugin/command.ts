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
import { translateCommand } from "./translate.ts"
import { validateCommand } from "./validate.ts"

/** `chorus plugin`: everything about plugins; without a sub-command, the menu. */
export function pluginCommand(): Command {
  const command = toldByFailures(
    new Command("plugin").alias("plugins").description("Validate, install and govern plugins."),
  )
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
