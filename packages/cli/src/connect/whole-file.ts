import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/**
 * Replaces a file in one step, so that a program that reads it finds the old text or the new one. A link stays a link: many people
 * keep their settings in a folder of their own. Who may read it stays as it was, unless `mode` says otherwise.
 */
export function writeWhole(path: string, text: string, mode?: number): void {
  mkdirSync(dirname(path), { recursive: true })
  const target = linkTarget(path)
  const temporary = `${target}.${process.pid}.chorus-tmp`
  try {
    writeFileSync(temporary, text, { mode: mode ?? statSync(target, { throwIfNoEntry: false })?.mode ?? 0o644 })
    renameSync(temporary, target)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function linkTarget(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
