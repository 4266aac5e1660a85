import { closeSync, constants, existsSync, fchmodSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { SHARED } from "./claim.ts"
import { type FileIdentity, untouched } from "./file-identity.ts"
import { readJson } from "./file-text.ts"
import { livenessOf, ownIdentity, type ProcessIdentity } from "./process-identity.ts"

/** What a note says: who, since when, and of which lock; of none yet while its process is about to make it. */
interface Holding extends ProcessIdentity {
  readonly at: number
  readonly lock?: { readonly ino: string; readonly bornNs: string; readonly mtimeNs: string }
}

/** Longer than any note, so that a shorter one leaves nothing of a longer one behind. */
const LENGTH = 600
/** A folder may be dated a few milliseconds before the moment it was made at: the kernel looks at a coarser clock. */
const COARSE_MS = 50

/** Says which process holds a lock. It lies in a folder of ours because nothing may be put into the lock itself. */
export class LockNote {
  readonly #path: string

  constructor(notes: string, lock: string) {
    // Loaded only here: a listener that keeps nothing is to stay small.
    const { createHash } = process.getBuiltinModule("node:crypto")
    this.#path = join(notes, `${createHash("sha256").update(lock).digest("hex").slice(0, 24)}.json`)
  }

  /** Written in one call over what is there: a process killed at any moment leaves the old note or the new one. */
  write(lock?: FileIdentity): void {
    const said: Holding = { ...ownIdentity(), at: Date.now(), ...(lock === undefined ? {} : { lock: texts(lock) }) }
    const isNew = !existsSync(this.#path)
    const file = openSync(this.#path, constants.O_WRONLY | constants.O_CREAT, SHARED)
    try {
      if (isNew) fchmodSync(file, SHARED)
      writeSync(file, JSON.stringify(said).padEnd(LENGTH))
    } finally {
      closeSync(file)
    }
  }

  remove(): void {
    rmSync(this.#path, { force: true })
  }

  /** The process that holds this very lock, as far as is known. */
  holder(lock: FileIdentity): ProcessIdentity | undefined {
    const said = readHolding(this.#path)
    return said?.lock !== undefined && untouched(identityIn(said.lock), lock) ? said : undefined
  }

  /**
   * Whether a process that has ended left this lock behind. `unsure` when it ended while it was making one: very likely
   * this, if it is as old as that.
   */
  isLeft(lock: FileIdentity): "yes" | "no" | "unsure" {
    const said = readHolding(this.#path)
    if (said === undefined || livenessOf(said) !== "dead") return "no"
    if (said.lock !== undefined) return untouched(identityIn(said.lock), lock) ? "yes" : "no"
    const after = Number(lock.mtimeNs / 1_000_000n) - said.at
    return after >= -COARSE_MS && after <= 1_000 ? "unsure" : "no"
  }
}

function readHolding(path: string): Holding | undefined {
  const said = readJson(path) as Holding | undefined
  return typeof said?.pid === "number" ? said : undefined
}

function texts({ ino, bornNs, mtimeNs }: FileIdentity): NonNullable<Holding["lock"]> {
  return { ino: String(ino), bornNs: String(bornNs), mtimeNs: String(mtimeNs) }
}

function identityIn({ ino, bornNs, mtimeNs }: NonNullable<Holding["lock"]>): FileIdentity {
  return { ino: BigInt(ino), bornNs: BigInt(bornNs), mtimeNs: BigInt(mtimeNs) }
}
