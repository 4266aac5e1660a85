import { mkdirSync, readdirSync, rmdirSync, rmSync, utimesSync } from "node:fs"
import { dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { renewFile, sweepTemporaries } from "./atomic-file.ts"
import { exclusively, MUTEX } from "./claim.ts"
import { isErrno } from "./errno.ts"
import { type FileIdentity, identify, untouched } from "./file-identity.ts"
import { type HeldLock, LockLost } from "./held-lock.ts"
import { LockNote } from "./lock-note.ts"

/**
 * The lock that Claude Code uses: a directory `<file>.lock`, made with mkdir, empty, touched while it is held,
 * abandoned when it has not been touched for ten seconds. Among our own processes it is stricter. Every step by which a
 * lock changes hands (made, touched, taken over, let go) is taken under one mutex of the kernel's, so that whoever
 * judges a lock changes that very lock; and a note says who holds it, so that a lock whose process has ended is taken
 * over at once.
 *
 * Age is measured by watching the lock on a monotonic clock, so a stepped wall clock neither steals nor strands it. A
 * taker keeps the directory in place and changes its mtime. From then on the former owner, should it only have been
 * stopped, fails `assertHeld`; and a rename it had already decided on fails too, because the taker sweeps its temporary
 * file first.
 */
export interface LockOptions {
  /**
   * The folder of notes and mutex. Who names another one is kept out all the same, but waits the ten seconds behind a
   * dead process.
   */
  readonly notes: string
  /** How long to wait while one and the same process holds it; behind a queue that moves, ten times as long. */
  readonly timeoutMs?: number
  readonly abandonedAfterMs?: number
  /** What to tell somebody who waited in vain. */
  readonly next?: string
  /** Takes the folder of notes away afterwards, unless somebody else uses it. */
  readonly noTrace?: boolean
}

const DEFAULTS = { timeoutMs: 30_000, abandonedAfterMs: 10_000 } as const
const LOOK_AT_OWNER_EVERY_MS = 100
const REFRESH_EVERY_MS = 2_000
const UNSIGNED_FOR_MS = 1_000
const queues = new Map<string, Promise<unknown>>()

/** Runs `work` while holding the lock of `target`. When the lock was lost in the middle, `work` is done again. */
export async function withLock<T>(
  target: string,
  options: LockOptions,
  work: (held: HeldLock) => T | Promise<T>,
): Promise<T> {
  return withLocks([target], options, work)
}

/** As `withLock`, for several files at once. All callers must name shared files in the same order. */
export async function withLocks<T>(
  targets: readonly string[],
  options: LockOptions,
  work: (held: HeldLock) => T | Promise<T>,
): Promise<T> {
  return inTurn(targets, async () => {
    for (let attempt = 0; ; attempt++) {
      const locks: Lock[] = []
      const young = setInterval(() => locks.forEach((lock) => lock.refresh()), REFRESH_EVERY_MS)
      try {
        for (const target of targets) locks.push(await acquire(target, options))
        return await work({ assertHeld: () => locks.forEach((lock) => lock.assertHeld()) })
      } catch (error) {
        if (!(error instanceof LockLost)) throw error
        if (attempt >= 9) throw timedOut(targets[0] ?? "", options)
      } finally {
        clearInterval(young)
        for (const lock of locks.toReversed()) await lock.release()
      }
    }
  })
}

class Lock {
  readonly #path: string
  readonly #note: LockNote
  readonly #options: LockOptions
  #identity: FileIdentity

  constructor(path: string, note: LockNote, options: LockOptions, identity: FileIdentity) {
    this.#path = path
    this.#note = note
    this.#options = options
    this.#identity = identity
  }

  assertHeld(): void {
    if (!this.#isOurs()) throw new LockLost(this.#path)
  }

  /** Keeps the lock young while its holder is at work or waits for another one. */
  refresh(): void {
    try {
      exclusively(this.#options.notes, () => {
        const identity = this.#isOurs() ? touch(this.#path, this.#identity) : undefined
        if (identity === undefined) return
        this.#identity = identity
        this.#note.write(identity)
      })
    } catch {
      // The next turn makes up for it, or the lock grows old and whoever asks is told that it is lost.
    }
  }

  /** Clears only a lock that is still ours; a successor's stays. When nobody lets us, it is left to grow old. */
  async release(): Promise<void> {
    const since = performance.now()
    while (exclusively(this.#options.notes, () => this.#letGo()) === undefined) {
      if (performance.now() - since > DEFAULTS.abandonedAfterMs) return
      await pause(Math.random() * 5)
    }
  }

  #letGo(): true {
    // Gone with the folder it was in, it is nobody else's, and the note would be all that is left.
    if (identify(this.#path) !== undefined && !this.#isOurs()) return true
    try {
      rmdirSync(this.#path)
    } catch {
      // The folder went away with all that was in it; or something was put into the lock, and it is left to grow old.
    }
    this.#note.remove()
    if (this.#options.noTrace === true) removeNotes(this.#options.notes)
    return true
  }

  #isOurs(): boolean {
    const current = identify(this.#path)
    return current !== undefined && untouched(current, this.#identity)
  }
}

interface Watched {
  readonly lock: FileIdentity
  readonly since: number
  lookedAt: number
}

async function acquire(target: string, options: LockOptions): Promise<Lock> {
  const { timeoutMs, abandonedAfterMs, notes } = { ...DEFAULTS, ...options }
  const path = `${target}.lock`
  const note = new LockNote(notes, path)
  const started = performance.now()
  let watched: Watched | undefined
  let holder: { readonly pid: number | undefined; readonly since: number } = { pid: undefined, since: started }
  for (let attempt = 0; ; attempt++) {
    const now = performance.now()
    const before = watched
    watched = watch(path, watched, now)
    // Somebody else has it each time: the machine is slow, and nobody is stuck. Not looked at where it is usual to wait.
    if (now - started > timeoutMs / 4 && watched !== before) {
      const pid = watched && note.holder(watched.lock)?.pid
      if (pid !== undefined && pid !== holder.pid) holder = { pid, since: now }
    }
    const isOld = watched !== undefined && now - watched.since >= abandonedAfterMs
    if (watched === undefined || isOld || isDue(watched, now, note)) {
      const seen = watched
      const identity = exclusively(notes, () =>
        seen === undefined ? make(path, note) : takeOver(target, path, seen, isOld, note),
      )
      if (identity !== undefined) return new Lock(path, note, options, identity)
    }
    const standsFor = holder.pid === undefined ? now - started : now - holder.since
    if (now - started > timeoutMs && (standsFor > timeoutMs || now - started > timeoutMs * 10))
      throw timedOut(target, options, watched && note.holder(watched.lock)?.pid)
    await pause(Math.random() * longestPause(attempt, now - started))
  }
}

function watch(path: string, before: Watched | undefined, now: number): Watched | undefined {
  const lock = identify(path)
  if (lock === undefined) return undefined
  return before !== undefined && untouched(before.lock, lock) ? before : { lock, since: now, lookedAt: now }
}

/** A look at the note without the mutex; what it suggests is judged again under it. */
function isDue(watched: Watched, now: number, note: LockNote): boolean {
  if (now - watched.lookedAt < LOOK_AT_OWNER_EVERY_MS) return false
  watched.lookedAt = now
  return isLeft(watched, note)
}

/** A process that was killed while it made a lock did not sign it. If nobody has within a second, it was that one. */
function isLeft({ lock, since }: Watched, note: LockNote): boolean {
  const left = note.isLeft(lock)
  return left === "yes" || (left === "unsure" && performance.now() - since >= UNSIGNED_FOR_MS)
}

/**
 * Short when two meet; long enough that fifty waiting processes leave the machine to the one that works; shorter again
 * for who has waited long, so that nobody is passed over for good.
 */
function longestPause(attempt: number, waitedMs: number): number {
  return waitedMs < 500 ? Math.min(2 + attempt * 2, 40) : Math.max(6, 40 - waitedMs / 50)
}

/**
 * Makes the lock, unless somebody has it. The note is there first: a process killed in between still leaves its name.
 */
function make(path: string, note: LockNote): FileIdentity | undefined {
  if (identify(path) !== undefined) return undefined
  const begun = performance.now()
  note.write()
  try {
    mkdirSync(path)
  } catch (error) {
    note.remove()
    if (isErrno(error, "EEXIST")) return undefined
    throw error
  }
  const identity = identify(path)
  // Stopped for as long as this, it may be looking at the lock of another program that took ours for abandoned.
  if (identity === undefined || performance.now() - begun > UNSIGNED_FOR_MS) {
    note.remove()
    return undefined
  }
  note.write(identity)
  return identity
}

function takeOver(
  target: string,
  path: string,
  watched: Watched,
  isOld: boolean,
  note: LockNote,
): FileIdentity | undefined {
  const current = identify(path)
  if (current === undefined || !untouched(current, watched.lock)) return undefined
  if (!isOld && !isLeft(watched, note)) return undefined
  const identity = touch(path, current)
  if (identity === undefined) return undefined
  note.write(identity)
  sweepTemporaries(target)
  renewFile(target)
  return identity
}

function touch(path: string, observed: FileIdentity): FileIdentity | undefined {
  for (let step = 0; step < 5; step++) {
    const seconds = Date.now() / 1000 + step / 1000
    try {
      utimesSync(path, seconds, seconds)
    } catch {
      return undefined
    }
    const identity = identify(path)
    if (identity === undefined || !untouched(identity, observed)) return identity
  }
  return undefined
}

/** Where the processes that write below a folder of an agent program keep their notes. */
export function lockNotes(root: string): string {
  return join(root, "chorus", "locks")
}

/** Under the mutex, when it is all that is left. Whoever waits for it finds it gone and makes a new one. */
function removeNotes(folder: string): void {
  if (readdirSync(folder).some((name) => name !== MUTEX)) return
  rmSync(join(folder, MUTEX), { force: true })
  try {
    for (const empty of [folder, dirname(folder)]) rmdirSync(empty)
  } catch {
    // It holds something else, or somebody makes the mutex anew.
  }
}

function timedOut(target: string, { next }: LockOptions, pid?: number): ChorusError {
  return new ChorusError("lock_timeout", `${target} stayed locked${pid === undefined ? "" : ` by process ${pid}`}.`, {
    next: next ?? `Try again in a moment. If nothing else is at work on it, remove the folder ${target}.lock.`,
    status: 503,
  })
}

/** Callers in this process line up here, once for each file, instead of spinning on the directory. */
async function inTurn<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
  const [key, ...rest] = keys
  if (key === undefined) return work()
  const before = queues.get(key) ?? Promise.resolve()
  const mine = before.then(() => inTurn(rest, work))
  const settled = mine.catch(() => undefined)
  queues.set(key, settled)
  try {
    return await mine
  } finally {
    if (queues.get(key) === settled) queues.delete(key)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, ms))
}
