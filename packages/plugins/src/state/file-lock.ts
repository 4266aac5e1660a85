import { createHash, randomUUID } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { dirname } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { ChorusError } from "@chorus/contracts"
import { errorCode, isMissing } from "../read/files.ts"

const STALE_MS = 10_000
const REFRESH_MS = 3_000
const GIVE_UP_MS = 120_000

/**
 * Runs `work` while holding `<file>.lock`: an empty folder that is touched while it is held and counts as abandoned after
 * ten seconds without a touch, the convention Claude Code's own locks follow. A note beside it names our process, so
 * that a lock left by a killed one of ours is taken over at once.
 */
export async function withFileLock<T>(file: string, work: () => Promise<T> | T): Promise<T> {
  mkdirSync(dirname(file), { recursive: true })
  const lock = `${file}.lock`
  const held = await acquire(lock)
  const touch = setInterval(() => refresh(lock), REFRESH_MS)
  try {
    return await work()
  } finally {
    clearInterval(touch)
    release(lock, held)
  }
}

/** Lets go of our own lock. One that was taken from us while we were held up belongs to another by now. */
function release(lock: string, held: Held): void {
  const note = readNote(lock)
  if (note !== undefined && note.token !== held.token) return
  rmSync(noteOf(lock), { force: true })
  if (identity(lock)?.ino !== held.ino) return
  try {
    rmdirSync(lock)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

async function acquire(lock: string): Promise<Held> {
  const until = Date.now() + GIVE_UP_MS
  for (let attempt = 0; ; attempt += 1) {
    try {
      mkdirSync(lock)
      const [made, token] = [identity(lock), randomUUID()]
      writeFileSync(
        noteOf(lock),
        JSON.stringify({
          machine: machine(),
          pid: process.pid,
          born: bornAt(process.pid),
          made,
          token,
        } satisfies LockNote),
      )
      return { ino: made?.ino, token }
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error
    }
    if (isAbandoned(lock)) takeAway(lock)
    else if (Date.now() > until) throw busy(lock)
    else await delay(Math.min(5 + attempt * 5, 100) * (0.5 + Math.random()))
  }
}

function isAbandoned(lock: string): boolean {
  const made = identity(lock)
  if (made === undefined) return false
  if (Date.now() - made.touched > STALE_MS) return true
  const note = readNote(lock)
  return (
    note !== undefined &&
    note.machine === machine() &&
    note.made?.born === made.born &&
    note.made.ino === made.ino &&
    !isAlive(note.pid, note.born)
  )
}

/** Moves the lock aside first: of several processes that saw it abandoned, one wins, and a lock made meanwhile is put back. */
function takeAway(lock: string): void {
  const seen = identity(lock)
  const aside = `${lock}.${process.pid}.${Math.random().toString(36).slice(2)}`
  try {
    renameSync(lock, aside)
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  const moved = identity(aside)
  if (seen !== undefined && moved !== undefined && (moved.ino !== seen.ino || moved.born !== seen.born)) {
    renameSync(aside, lock)
    return
  }
  rmdirSync(aside)
}

interface LockIdentity {
  readonly ino: number
  readonly born: number
  readonly touched: number
}

interface LockNote {
  readonly machine: string
  readonly pid: number
  readonly born: string | undefined
  readonly made: LockIdentity | undefined
  readonly token: string
}

/** By what a holder knows its lock again. */
interface Held {
  readonly ino: number | undefined
  readonly token: string
}

function identity(lock: string): LockIdentity | undefined {
  try {
    const stat = statSync(lock)
    return { ino: stat.ino, born: stat.birthtimeMs, touched: stat.mtimeMs }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function readNote(lock: string): LockNote | undefined {
  try {
    return JSON.parse(readFileSync(noteOf(lock), "utf8")) as LockNote
  } catch {
    return undefined
  }
}

function refresh(lock: string): void {
  try {
    utimesSync(lock, new Date(), new Date())
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** Names this machine or container: a process id means something only on it. */
export function machine(): string {
  return createHash("sha256").update(hostname()).digest("hex").slice(0, 8)
}

/** Whether a process still runs; on Linux its start time guards against a reused id. */
export function isAlive(pid: number, born?: string | undefined): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === "EPERM"
  }
  return born === undefined || bornAt(pid) === undefined || bornAt(pid) === born
}

export function bornAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  } catch {
    return undefined
  }
}

function noteOf(lock: string): string {
  return `${lock}-owner`
}

function busy(lock: string): ChorusError {
  return new ChorusError("state_locked", `Another program has held ${lock} for two minutes.`, {
    status: 409,
    next: `Try again; if nothing else is running, remove ${lock}.`,
  })
}
