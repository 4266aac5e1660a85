import {
  closeSync,
  copyFileSync,
  fchmodSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { isErrno } from "./errno.ts"
import { type HeldLock, LockLost } from "./held-lock.ts"

const PRIVATE = 0o600

export interface ReplaceOptions {
  /**
   * For the new file; otherwise it keeps the rights of the old one, and where there is none only its owner may read it.
   */
  readonly mode?: number
  /** The lock under which the file is changed. Without one the folder is made where there is none. */
  readonly held?: HeldLock
  /** For what is made anew at every start: it need not outlive a power cut. */
  readonly fleeting?: boolean
}

/**
 * Puts new content in place in one step: readers see the old file or the new one. That holds through a power cut as
 * well, because the bytes are on the disk before the name points to them. The folder is not synced: a power cut in the
 * seconds after may bring back the old file, whole, and to rule that out would double the cost of every message. Who
 * tells a person that a copy is safe uses `takePlace`. A link is replaced, not followed; see `linkTarget`.
 */
export function replaceFile(target: string, content: string | Uint8Array, options: ReplaceOptions = {}): void {
  const { mode, held, fleeting = false } = options
  if (held === undefined) mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const temporary = temporaryOf(target)
  try {
    const file = openSync(temporary, "wx", mode ?? PRIVATE)
    try {
      const kept = mode === undefined ? statSync(target, { throwIfNoEntry: false })?.mode : undefined
      if (kept !== undefined) fchmodSync(file, kept & 0o777)
      writeFileSync(file, content)
      if (!fleeting) fdatasyncSync(file)
    } finally {
      closeSync(file)
    }
    held?.assertHeld()
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    // Our temporary file was swept by a process that took the lock over, or the whole folder is gone; the next try tells which.
    if (held !== undefined && isErrno(error, "ENOENT")) throw new LockLost(target)
    throw error
  }
}

/**
 * Puts a file that is written already in the place of another, and has both the bytes and the name on the disk on
 * return.
 */
export function takePlace(file: string, target: string): void {
  syncFile(file)
  renameSync(file, target)
  syncFile(dirname(target))
}

export function syncFile(path: string): void {
  const file = openSync(path, "r")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Where a link leads: people keep settings as links into a folder of their own, and the link must survive a change. */
export function linkTarget(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (isErrno(error, "ENOENT")) return path
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
  try {
    return readdirSync(dirname(target)).filter((name) => name.startsWith(prefix))
  } catch {
    return []
  }
}

/** Not from the cryptography of the system, which costs the listener three megabytes. */
function temporaryOf(target: string): string {
  return `${target}.tmp.${Math.random().toString(36).slice(2)}`
}
