import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type HeldLock, isErrno, isNoted, LockLost } from "@chorus/disk"
import { tryReadJson, Unfinished } from "./patient-json.ts"
import { refuseLinks, type TeamPaths } from "./team-paths.ts"

/**
 * Appends an entry once for each note, however often it is tried, also by a process that follows on one that was killed. The new
 * list is staged beside the inbox and the note says where; the rename that puts it in place takes the staged file away. So
 * a note whose staged file is gone says that the entry arrived, even when its reader has already taken it out again.
 */
export function appendNoted(paths: TeamPaths, inbox: string, entry: object, held: HeldLock, note: string): void {
  if (isNoted(note)) return
  const staged = join(paths.own, "staged", basename(note))
  refuseLinks(paths.own, dirname(staged))
  mkdirSync(dirname(staged), { recursive: true, mode: 0o700 })
  const mode = (statSync(inbox, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777
  writeFileSync(staged, JSON.stringify([...listIn(inbox), entry], null, 2), { mode, flush: true })
  writeFileSync(note, staged, { mode: 0o600, flush: true })
  held.assertHeld()
  try {
    renameSync(staged, inbox)
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error
    // The folder is gone, and perhaps the staged file with it, which would look like success.
    rmSync(note, { force: true })
    throw new LockLost(inbox)
  }
}

function listIn(inbox: string): unknown[] {
  const read = tryReadJson(inbox)
  if (read.state === "missing") return []
  if (Array.isArray(read.value)) return read.value as unknown[]
  throw new Unfinished()
}
