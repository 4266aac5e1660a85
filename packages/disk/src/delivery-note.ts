import { existsSync, rmSync } from "node:fs"
import { replaceFile } from "./atomic-file.ts"
import { readText } from "./file-text.ts"

const DONE = "done\n"

/** Whether what this note stands for has been done. */
export function isNoted(note: string): boolean {
  const said = readText(note)
  return said === DONE || (isStaged(said) && !existsSync(said))
}

/** Notes that something was done for which no file is staged. */
export function noteDone(note: string): void {
  replaceFile(note, DONE)
}

export function dropNote(note: string): void {
  const said = readText(note)
  rmSync(note, { force: true })
  if (isStaged(said)) rmSync(said, { force: true })
}

/** An empty one is of a process that was killed while it wrote. */
function isStaged(said: string | undefined): said is string {
  return said !== undefined && said !== "" && said !== DONE
}
