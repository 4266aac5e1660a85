import { join } from "node:path"
import { commandsPage } from "./commands.ts"
import { errorsPage } from "./errors.ts"
import { eventsPage } from "./events.ts"
import { FaultFinder } from "./faults.ts"
import { operationPages, operationPlaces } from "./operations.ts"
import { remarksIn } from "./remarks.ts"
import { settingsPage } from "./settings.ts"
import { toolsPage } from "./tools.ts"

/** The whole reference, by file name under `docs/reference`. */
export async function referencePages(root: string): Promise<Map<string, string>> {
  const faults = new FaultFinder(join(root, "packages"))
  const remarks = remarksIn(join(root, "packages", "contracts", "src"))
  const pages = operationPages(faults, remarks)
  pages.set("tools.md", toolsPage(operationPlaces()))
  pages.set("commands.md", await commandsPage())
  pages.set("events.md", eventsPage())
  pages.set("settings.md", await settingsPage(join(root, "plugin", ".claude-plugin", "plugin.json"), remarks))
  pages.set("errors.md", errorsPage(faults))
  return pages
}
