import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { isErrno } from "./file-fault.ts"
import { livenessOf, ownIdentity, type ProcessIdentity } from "./process-identity.ts"
import { entriesOf } from "./team-paths.ts"

/** Tells one lock from the next at the same path. */
export interface LockIdentity {
  readonly ino: bigint
  readonly mtimeNs: bigint
}

export function sameLock(one: LockIdentity, other: LockIdentity): boolean {
  return one.ino === other.ino && one.mtimeNs === other.mtimeNs
}

let serial = 0

/**
 * Says which process wants a lock and, once it has it, which lock that is. It lies in a folder of ours because nothing may be
 * put into the lock itself. It is there before the lock is, so a process killed in between still leaves its name.
 */
export class LockNote {
  readonly #path: string

  constructor(notes: string, lock: string) {
    const { pid, procStart, pidSpace } = ownIdentity()
    this.#path = join(notes, `${prefixOf(lock)}${pid}.${procStart}.${digest(pidSpace)}.${++serial}`)
    try {
      closeSync(openSync(this.#path, "w", 0o600))
    } catch (error) {
      if (!isErrno(error, "ENOENT")) throw error
      mkdirSync(notes, { recursive: true, mode: 0o700 })
      closeSync(openSync(this.#path, "w", 0o600))
    }
  }

  write(identity: LockIdentity): void {
    const file = openSync(this.#path, "w", 0o600)
    writeSync(file, JSON.stringify({ ...ownIdentity(), ino: String(identity.ino), mtimeNs: String(identity.mtimeNs) }))
    closeSync(file)
  }

  remove(): void {
    rmSync(this.#path, { force: true })
  }
}

/** A note as somebody else finds it. */
export interface FoundNote {
  readonly process: ProcessIdentity
  isDead(): boolean
  isOn(identity: LockIdentity): boolean
  remove(): void
}

/** Notes of this machine's processes on a lock. Their names say who wrote them; a note is read only when it matters. */
export function notesOn(notes: string, lock: string): FoundNote[] {
  const prefix = prefixOf(lock)
  const here = digest(ownIdentity().pidSpace)
  return entriesOf(notes).flatMap((name) => {
    if (!name.startsWith(prefix)) return []
    const [pid, procStart, space] = name.slice(prefix.length).split(".")
    if (space !== here || pid === undefined || procStart === undefined) return []
    const path = join(notes, name)
    const process = { pid: Number(pid), procStart, pidSpace: ownIdentity().pidSpace }
    return [
      {
        process,
        isDead: () => livenessOf(process) === "dead",
        isOn: (identity) => signatureIn(path) === signature(identity),
        remove: () => rmSync(path, { force: true }),
      },
    ]
  })
}

function signatureIn(path: string): string | undefined {
  try {
    const { ino, mtimeNs } = JSON.parse(readFileSync(path, "utf8")) as { ino: string; mtimeNs: string }
    return signature({ ino: BigInt(ino), mtimeNs: BigInt(mtimeNs) })
  } catch {
    return undefined
  }
}

function signature({ ino, mtimeNs }: LockIdentity): string {
  return `${ino}-${mtimeNs}`
}

function prefixOf(lock: string): string {
  return `${digest(lock)}.`
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16)
}
