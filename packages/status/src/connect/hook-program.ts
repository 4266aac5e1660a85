import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"

const HOOK = join("plugin", "bin", "chorus-hook")

/** The program that tells the board what an agent's hooks say; it stands in the folder this program came in. */
export function boardHookProgram(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, HOOK)
    if (existsSync(path)) return path
    if (folder === dirname(folder))
      throw new ChorusError("no_hook_program", `${HOOK} is not beside this program.`, {
        status: 404,
        next: "Install Chorus again.",
      })
  }
}
