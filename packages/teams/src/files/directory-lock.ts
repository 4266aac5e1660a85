import { mkdirSync, rmdirSync, statSync, utimesSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { ChorusError } from "@chorus/contracts"
import { renewFile, sweepTemporaries } from "./atomic-file.ts"
import { fileFault, isErrno } from "./file-fault.ts"
import { type HeldLock, LockLost } from "./held-lock.ts"
import { type LockIdentity, LockNote, notesOn, sameLock } from "./lock-note.ts"
import { withTakeoverMutex } from "./takeover-mutex.ts"

/**
 * The lock that Claude Code uses: a directory `<file>.lock`, made with mkdir, abandoned when it has not been touched for
 * ten seconds. Nothing may be put into it, or the other side could not remove it; who holds it is noted in a folder of ours.
 *
 * Age is measured by watching the lock on a monotonic clock, so a stepped wall clock neither steals nor strands it. A taker
 * keeps the directory in place and changes its mtime. From then on the former owner, should it only have been stopped, fails
 * `assertHeld`; and a rename it had already decided on fails too, because the taker sweeps its temporary file first.
 */
export interface LockOptions {
  /** Where owner notes and the takeover mutex live. */
  readonly notes: string
  readonly timeoutMs?: number
  readonly abandonedAfterMs?: number
}

const DEFAULTS = { timeoutMs: 30_000, abandonedAfterMs: 10_000 } as const
const LOOK_AT_OWNER_EVERY_MS = 100
const REFRESH_EVERY_MS = 2_000
const UNSIGNED_FOR_MS = 1_000
const queues = new Map<string, Promise<unknown>>()

/** Runs `work` while holding the lock of `target`. `work` is synchronous: a lock is held for a moment, never across other work. */
export async function withLock<T>(target: string, options: LockOptions, work: (held: HeldLock) => T): Promise<T> {
  return withLocks([target], options, work)
}

/** As `withLock`, for several files at once. All callers must name shared files in the same order. */
export async function withLocks<T>(
  targets: readonly string[],
  options: LockOptions,
  work: (held: HeldLock) => T,
): Promise<T> {
  return inTurn(targets, async () => {
    for (let attempt = 0; ; attempt++) {
      const locks: Acquired[] = []
      try {
        for (const target of targets) locks.push(await acquire(target, options, locks))
        return work(heldLock(locks))
      } catch (error) {
        if (!(error instanceof LockLost)) throw fileFault(error, targets[0] ?? "")
        if (attempt >= 9) throw timedOut(targets[0] ?? "", undefined)
      } finally {
        for (const lock of locks.toReversed()) release(lock)
      }
    }
  })
}

interface Acquired {
  readonly path: string
  readonly note: LockNote
  identity: LockIdentity
}

async function acquire(target: string, options: LockOptions, holding: readonly Acquired[]): Promise<Acquired> {
  const path = `${target}.lock`
  const note = new LockNote(options.notes, path)
  try {
    return { path, note, identity: await claim(target, path, note, options, holding) }
  } catch (error) {
    note.remove()
    throw error
  }
}

async function claim(
  target: string,
  path: string,
  note: LockNote,
  options: LockOptions,
  holding: readonly Acquired[],
): Promise<LockIdentity> {
  const { timeoutMs, abandonedAfterMs } = { ...DEFAULTS, ...options }
  const started = performance.now()
  let refreshed = started
  let watched: { identity: LockIdentity; since: number; lookedAt: number } | undefined
  for (let attempt = 0; ; attempt++) {
    const made = make(path)
    if (made !== undefined) {
      note.write(made)
      return made
    }
    const now = performance.now()
    const identity = identify(path)
    if (identity !== undefined) {
      if (watched === undefined || !sameLock(watched.identity, identity))
        watched = { identity, since: now, lookedAt: now }
      const due = now - watched.lookedAt >= LOOK_AT_OWNER_EVERY_MS
      if (due) watched.lookedAt = now
      const unchangedFor = now - watched.since
      if (unchangedFor >= abandonedAfterMs || (due && ownerIsDead(options.notes, path, identity, unchangedFor))) {
        const taken = takeOver(target, path, identity, note, options.notes)
        if (taken !== undefined) return taken
        watched = undefined
      }
    }
    if (now - refreshed > REFRESH_EVERY_MS) {
      refreshed = now
      for (const lock of holding) refresh(lock)
    }
    if (now - started > timeoutMs)
      throw timedOut(
        target,
        identity === undefined
          ? undefined
          : notesOn(options.notes, path).find((note) => note.isOn(identity))?.process.pid,
      )
    await pause(Math.random() * longestPause(attempt, now - started))
  }
}

/**
 * Short when two meet; long enough that fifty waiting processes leave the machine to the one that works; shorter again for
 * who has waited long, so that nobody is passed over for good.
 */
function longestPause(attempt: number, waitedMs: number): number {
  return waitedMs < 500 ? Math.min(2 + attempt * 2, 40) : Math.max(6, 40 - waitedMs / 50)
}

function make(path: string): LockIdentity | undefined {
  try {
    mkdirSync(path)
  } catch (error) {
    if (isErrno(error, "EEXIST")) return undefined
    throw fileFault(error, path)
  }
  return identify(path)
}

function takeOver(
  target: string,
  path: string,
  observed: LockIdentity,
  note: LockNote,
  notes: string,
): LockIdentity | undefined {
  return withTakeoverMutex(notes, () => {
    const current = identify(path)
    if (current === undefined || !sameLock(current, observed)) return undefined
    const identity = touch(path, observed)
    if (identity === undefined) return undefined
    note.write(identity)
    sweepTemporaries(target)
    renewFile(target)
    for (const other of notesOn(notes, path)) if (other.isDead()) other.remove()
    return identity
  })
}

/**
 * Known dead: the note on this very lock names a process that has ended. Very likely dead: nobody has signed the lock for a
 * second, and a process that wanted it has ended; a living one signs within microseconds.
 */
function ownerIsDead(notes: string, path: string, identity: LockIdentity, unchangedFor: number): boolean {
  const dead = notesOn(notes, path).filter((note) => note.isDead())
  if (dead.some((note) => note.isOn(identity))) return true
  if (dead.length === 0 || unchangedFor < UNSIGNED_FOR_MS) return false
  return !notesOn(notes, path).some((note) => note.isOn(identity))
}

function touch(path: string, observed: LockIdentity): LockIdentity | undefined {
  for (let step = 0; step < 5; step++) {
    const seconds = Date.now() / 1000 + step / 1000
    try {
      utimesSync(path, seconds, seconds)
    } catch {
      return undefined
    }
    const identity = identify(path)
    if (identity === undefined || !sameLock(identity, observed)) return identity
  }
  return undefined
}

/** Keeps a lock young while its holder waits for another one. */
function refresh(lock: Acquired): void {
  assertHeld(lock)
  const identity = touch(lock.path, lock.identity)
  if (identity === undefined) throw new LockLost(lock.path)
  lock.identity = identity
  lock.note.write(identity)
}

function heldLock(locks: readonly Acquired[]): HeldLock {
  return { assertHeld: () => locks.forEach(assertHeld) }
}

function assertHeld(lock: Acquired): void {
  const current = identify(lock.path)
  if (current === undefined || !sameLock(current, lock.identity)) throw new LockLost(lock.path)
}

/** Clears only a lock that is still ours; a successor's stays. */
function release(lock: Acquired): void {
  const current = identify(lock.path)
  if (current !== undefined && sameLock(current, lock.identity)) {
    try {
      rmdirSync(lock.path)
    } catch {
      // The folder went away with its team; there is nothing left to release.
    }
  }
  lock.note.remove()
}

function identify(path: string): LockIdentity | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? undefined : { ino: stat.ino, mtimeNs: stat.mtimeNs }
}

function timedOut(target: string, pid: number | undefined): ChorusError {
  return new ChorusError("lock_timeout", `${target} stayed locked${pid === undefined ? "" : ` by process ${pid}`}.`, {
    next: "Run `chorus team doctor`; it names the owner and clears a lock that nobody holds.",
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
