import { closeSync, existsSync, fchmodSync, mkdirSync, openSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type FileIdentity, identify, sameFile } from "./file-identity.ts"

/** Held until it is let go or the process ends. */
export interface Claim {
  release(): void
  /** Lets go and takes the file away; whoever waits for it makes a new one. */
  discard(): void
}

/**
 * Claims a file for this process; undefined when another one has it and keeps it for `waitMs`. The file is made if need
 * be.
 */
export function claim(path: string, waitMs = 0): Claim | undefined {
  for (;;) {
    const lock = openLock(path, waitMs, 0o600)
    const state = lock.begin()
    if (state === "begun") {
      return {
        release: () => lock.close(),
        discard: () => {
          rmSync(path, { force: true })
          lock.close()
        },
      }
    }
    lock.close()
    if (state === "busy") return undefined
  }
}

export const MUTEX = "takeover.db"
/** Its folder says who may use it: what root made there once must not keep out the folder's owner. */
export const SHARED = 0o666
let kept: LockFile | undefined

/**
 * Runs `work` while no other process runs any for the same folder; undefined when one does. Whoever is stopped in the
 * middle keeps the others out, whoever is killed does not. The open file is kept for the next time, because opening
 * costs most of it.
 */
export function exclusively<T>(folder: string, work: () => T): T | undefined {
  const path = join(folder, MUTEX)
  for (;;) {
    if (kept?.path !== path) {
      kept?.close()
      kept = openLock(path, 0, SHARED)
    }
    const state = kept.begin()
    if (state === "busy") return undefined
    if (state === "begun") {
      try {
        return work()
      } finally {
        kept.end()
      }
    }
    kept.close()
    kept = undefined
  }
}

const [BUSY, READ_ONLY, CANNOT_OPEN] = [5, 8, 14]

/**
 * The operating system's lock on an open file, which goes with the process that holds it, however that ends. Node
 * reaches it through SQLite. Nothing is ever written into the file, and with its journal in memory nothing beside it.
 */
class LockFile {
  readonly path: string
  readonly #database: DatabaseSync
  readonly #file: FileIdentity | undefined

  /** Which file it opens, SQLite does not tell; if this one has the name afterwards too, it is the one. */
  constructor(path: string, file: FileIdentity | undefined, waitMs: number) {
    this.path = path
    this.#file = file
    this.#database = this.#told(() => new DatabaseSync(path, { timeout: waitMs }))
  }

  /** Gone: the file was taken away, and would keep out nobody who came later. */
  begin(): "begun" | "busy" | "gone" {
    try {
      this.#told(() => this.#database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE"))
    } catch (error) {
      if ((error as { errcode?: number }).errcode === BUSY) return "busy"
      if (this.#isThere()) throw error
      return "gone"
    }
    if (this.#isThere()) return "begun"
    this.end()
    return "gone"
  }

  end(): void {
    this.#database.exec("ROLLBACK")
  }

  close(): void {
    this.#database.close()
  }

  #isThere(): boolean {
    return isStill(this.#file, this.path)
  }

  /** A file that may not be opened is told as every other one is. */
  #told<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      const { errcode } = error as { errcode?: number }
      if (errcode !== READ_ONLY && errcode !== CANNOT_OPEN) throw error
      throw Object.assign(new Error(`EACCES: permission denied, lock '${this.path}'`, { cause: error }), {
        code: "EACCES",
      })
    }
  }
}

const ATTEMPTS = 100

/** Whoever leaves no trace may take the folder away in the middle of it, and the next one make it again. */
function openLock(path: string, waitMs: number, mode: number): LockFile {
  for (let attempt = 1; ; attempt++) {
    let file: FileIdentity | undefined
    try {
      makeFile(path, mode)
      file = identify(path)
      return new LockFile(path, file, waitMs)
    } catch (error) {
      if (attempt === ATTEMPTS || isStill(file, path)) throw error
    }
  }
}

function isStill(file: FileIdentity | undefined, path: string): boolean {
  const now = identify(path)
  return file !== undefined && now !== undefined && sameFile(file, now)
}

/** Only where there is none: to close a file lets go of every lock that this process has on it. */
function makeFile(path: string, mode: number): void {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(path, "a", mode)
  fchmodSync(file, mode)
  closeSync(file)
}
