import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { stateFolder } from "../resume/resume-store.ts"

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

/** Which folders hold something that a server has not heard yet, or files of a session: one note for each. */
export function folderNotes(): string {
  return join(stateFolder(), "folders")
}

/**
 * Has the hook program tell what is kept on this machine, and of sessions that died. Nobody waits for it; where nothing
 * is kept, nothing runs.
 */
export function settleFolders(): void {
  if (process.platform === "win32" || !existsSync(folderNotes())) return
  spawn(boardHookProgram(), ["Settle"], { detached: true, stdio: "ignore" })
    .on("error", () => undefined)
    .unref()
}
