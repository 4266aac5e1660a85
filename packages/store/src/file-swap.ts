import { existsSync, renameSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { syncFile, takePlace } from "@chorus/disk"

/** Puts a whole database file in place of another, whose log files go with it, and makes that durable. */
export function swapDatabase(file: string, target: string): void {
  for (const suffix of ["-wal", "-shm"]) rmSync(target + suffix, { force: true })
  takePlace(file, target)
}

/** Moves a database out of the way with its log, which belongs to it and is found by its name. */
export function setAside(path: string, aside: string): void {
  renameSync(path, aside)
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`)
  rmSync(`${path}-shm`, { force: true })
  syncFile(dirname(path))
}
