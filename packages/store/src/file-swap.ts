import { existsSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { syncFile, takePlace } from "@chorus/disk"

/** Puts a whole database file in place of another, whose log files go with it, and makes that durable. */
export function swapDatabase(file: string, target: string): void {
  for (const suffix of ["-wal", "-shm"]) rmSync(target + suffix, { force: true })
  takePlace(file, target)
}

/** Moves a database out of the way with its log, which belongs to it and is found by its name; one of them may be missing. */
export function setAside(path: string, aside: string): void {
  for (const suffix of ["", "-wal"]) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  rmSync(`${path}-shm`, { force: true })
  syncFile(dirname(path))
}

/**
 * Moves away the log of a database that is missing or empty, and says to which name. What it holds may be all that is left: SQLite would
 * throw it away as soon as the file is opened.
 */
export function setLoneLogAside(path: string, now: Date): string | undefined {
  if (holdsData(path) || sizeOf(`${path}-wal`) === 0) return undefined
  const aside = asideOf(path, now)
  setAside(path, aside)
  return aside
}

export function holdsData(path: string): boolean {
  return sizeOf(path) > 0
}

/** Where data goes that makes room for other data at this time. */
export function asideOf(path: string, now: Date): string {
  return join(dirname(path), `before-restore-${now.toISOString().replace(/[:.]/g, "-")}.sqlite`)
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
