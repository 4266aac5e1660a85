import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { ChorusError } from "@chorus/contracts"
import { assertOwnSchema, type BackupFacts, checkBackup } from "./backup.ts"
import { asideOf, holdsData, setAside, setLoneLogAside, swapDatabase } from "./file-swap.ts"
import { openSqliteSnapshot, type Snapshot } from "./snapshot.ts"

export interface RestoreOptions {
  /** Replace data that is there; it is set aside, not deleted. */
  readonly force: boolean
  readonly now: Date
}

export interface Restored extends BackupFacts {
  /** Where the data that was there is now. */
  readonly setAside: string | undefined
}

/** Puts a backup in the place of the embedded store at `path`. Hold the data directory. A backup that does not hold changes nothing. */
export function restoreSqlite(backup: string, path: string, { force, now }: RestoreOptions): Restored {
  const isReplaced = holdsData(path)
  if (isReplaced && !force) throw wouldOverwrite(path)
  const arriving = `${path}.restore-${process.pid}`
  try {
    const facts = checkedCopy(backup, arriving)
    const kept = isReplaced ? keepAs(path, asideOf(path, now)) : setLoneLogAside(path, now)
    swapDatabase(arriving, path)
    return { ...facts, setAside: kept }
  } finally {
    removeDatabase(arriving)
  }
}

/** Reads a backup of the embedded store, from a checked copy in a directory of one's own. */
export async function readBackup<T>(
  backup: string,
  directory: string,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const arriving = join(directory, `restore-${process.pid}.sqlite`)
  try {
    checkedCopy(backup, arriving)
    const snapshot = openSqliteSnapshot(arriving)
    try {
      return await work(snapshot)
    } finally {
      await snapshot.close()
    }
  } finally {
    removeDatabase(arriving)
  }
}

/** Checked after the copy, so that what was checked is what is used. */
function checkedCopy(backup: string, arriving: string): BackupFacts {
  if (!existsSync(backup))
    throw new ChorusError("not_found", `There is no file ${backup}.`, { status: 404, next: "Check the name." })
  mkdirSync(dirname(arriving), { recursive: true, mode: 0o700 })
  copyFileSync(backup, arriving)
  const facts = checkBackup(arriving)
  assertOwnSchema(arriving, facts.schema)
  return facts
}

function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true })
}

/** The old data gets a second name, so that at no moment there is none; only what cannot be opened any more is moved as it is. */
function keepAs(path: string, aside: string): string {
  try {
    const database = new DatabaseSync(path, { timeout: 0 })
    database.exec("pragma wal_checkpoint(truncate)")
    database.close()
    linkSync(path, aside)
  } catch {
    setAside(path, aside)
  }
  return aside
}

function wouldOverwrite(path: string): ChorusError {
  return new ChorusError("would_overwrite", `There is data at ${path} already.`, {
    status: 409,
    next: "Use --force to set it aside and put the backup in its place, or restore into another --data DIR.",
  })
}
