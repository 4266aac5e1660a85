import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"

/** The folder this program came in, which is a marketplace of its own. */
export function marketplaceFolder(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".claude-plugin", "marketplace.json"))) return folder
    if (folder === dirname(folder)) break
  }
  throw new ChorusError("no_marketplace", "The plugin is not beside this program.", {
    status: 404,
    next: "Say where it is: --marketplace FOLDER, or owner/repository.",
  })
}
