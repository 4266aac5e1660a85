import { existsSync, rmSync } from "node:fs"
import { readText } from "./file-text.ts"

/** Whether what this note stands for has been done. */
export function isNoted(note: string): boolean {
  const staged = readText(note)
  return staged !== undefined && staged !== "" && !existsSync(staged)
}

export function dropNote(note: string): void {
  const staged = readText(note)
  rmSync(note, { force: true })
  if (staged !== undefined && staged !== "") rmSync(staged, { force: true })
}
