import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type HeldLock, isErrno, isNoted, LockLost } from "@chorus/disk"
import { tryReadJson, Unfinished } from "./patient-json.ts"
import { refuseLinks, type TeamPaths } from "./team-paths.ts"

/** Appends an entry once for each note, however often it is tried, even when its reader has already taken it out again. */
export function appendNoted(paths: TeamPaths, inbox: string, entry: object, held: HeldLock, note: string): void {
  if (!isNoted(note)) replaceNoted(paths, inbox, JSON.stringify([...listIn(inbox), entry], null, 2), held, note)
}

/**
 * Replaces a file and notes that it did, in one step: a process that follows on one that was killed knows whether it happened. What
 * is new is staged elsewhere and the note says where; the rename that puts it in place takes the staged file away. So
 * a note whose staged file is gone says that it was done.
 */
export function replaceNoted(paths: TeamPaths, target: string, text: string, held: HeldLock, note: string): void {
  const staged = join(paths.own, "staged", `${basename(note)}-${basename(target)}`)
  refuseLinks(paths.own, dirname(staged))
  mkdirSync(dirname(staged), { recursive: true, mode: 0o700 })
  const mode = (statSync(target, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777
  writeFileSync(staged, text, { mode, flush: true })
  writeFileSync(note, staged, { mode: 0o600, flush: true })
  held.assertHeld()
  try {
    renameSync(staged, target)
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error
    // The folder is gone, and perhaps the staged file with it, which would look like success.
    rmSync(note, { force: true })
    throw new LockLost(target)
  }
}

function listIn(inbox: string): unknown[] {
  const read = tryReadJson(inbox)
  if (read.state === "missing") return []
  if (Array.isArray(read.value)) return read.value as unknown[]
  throw new Unfinished()
}
