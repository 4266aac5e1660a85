import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs"
import { dirname } from "node:path"

/** Puts a whole database file in place of another, whose log files go with it, and makes that durable. */
export function takePlace(file: string, target: string): void {
  for (const suffix of ["-wal", "-shm"]) rmSync(target + suffix, { force: true })
  renameSync(file, target)
  syncFile(dirname(target))
}

/** Moves a database out of the way with its log, which belongs to it and is found by its name. */
export function setAside(path: string, aside: string): void {
  renameSync(path, aside)
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`)
  rmSync(`${path}-shm`, { force: true })
  syncFile(dirname(path))
}

export function syncFile(path: string): void {
  const file = openSync(path, "r")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
