import { closeSync, copyFileSync, fdatasyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { basename, dirname, join } from "node:path"
import { isErrno } from "./file-fault.ts"
import { type HeldLock, LockLost } from "./held-lock.ts"
import { entriesOf } from "./team-paths.ts"

const PRIVATE = 0o600

/**
 * Puts the new content in place in one step: readers see the old file or the new one, also after a power cut, because the bytes
 * are on the disk before the name points to them. The caller holds the file's lock.
 */
export function replaceFile(target: string, content: string | Uint8Array, held: HeldLock): void {
  const temporary = temporaryOf(target)
  try {
    writeToDisk(temporary, content, modeOf(target))
    held.assertHeld()
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    // Our temporary file was swept by a process that took the lock over, or the whole folder is gone; the next try tells which.
    if (isErrno(error, "ENOENT")) throw new LockLost(target)
    throw error
  }
}

/** Gives the file a new inode, so that a stopped process with the old one open writes into nothing. */
export function renewFile(target: string): void {
  if (statSync(target, { throwIfNoEntry: false })?.isFile() !== true) return
  const temporary = temporaryOf(target)
  copyFileSync(target, temporary)
  renameSync(temporary, target)
}

export function sweepTemporaries(target: string): void {
  for (const name of temporariesOf(target)) rmSync(join(dirname(target), name), { force: true })
}

export function temporariesOf(target: string): string[] {
  const prefix = `${basename(target)}.tmp.`
  return entriesOf(dirname(target)).filter((name) => name.startsWith(prefix))
}

function writeToDisk(path: string, content: string | Uint8Array, mode: number): void {
  const file = openSync(path, "wx", mode)
  try {
    writeFileSync(file, content)
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

function temporaryOf(target: string): string {
  return `${target}.tmp.${randomBytes(4).toString("hex")}`
}

function modeOf(target: string): number {
  const stat = statSync(target, { throwIfNoEntry: false })
  return stat === undefined ? PRIVATE : stat.mode & 0o777
}
