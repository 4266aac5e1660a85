import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { isErrno } from "./file-fault.ts"

/**
 * Lets one process at a time judge abandoned locks. Built on SQLite's file lock because the kernel drops that with the
 * process: a mutex made of files would itself need a rule for a dead owner.
 */
export function withTakeoverMutex<T>(folder: string, work: () => T): T | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(join(folder, "takeover.db"))
  try {
    database.exec("PRAGMA busy_timeout = 250; BEGIN EXCLUSIVE")
    return work()
  } catch (error) {
    if (isErrno(error, "ERR_SQLITE_ERROR") && /locked|busy/.test(String(error))) return undefined
    throw error
  } finally {
    database.close()
  }
}
