import { randomBytes } from "node:crypto"
import { mkdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { entriesOf } from "../read/files.ts"
import { isAlive } from "../state/file-lock.ts"

const PREFIX = "temp_chorus_"

/** A folder of our own beside the place the result will be moved to, so that the move is a rename. */
export function makeStage(parent: string): string {
  mkdirSync(parent, { recursive: true })
  const path = join(parent, `${PREFIX}${process.pid}_${randomBytes(6).toString("hex")}`)
  mkdirSync(path)
  return path
}

/** Removes what processes that are gone left behind. */
export function sweepStages(parent: string): void {
  for (const entry of entriesOf(parent)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)_`).exec(entry.name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(parent, entry.name), { recursive: true, force: true })
  }
}

/** Moves `from` to `to`, putting aside what is there. Something at `to` exists at nearly every moment; `recoverSwap` mends the rest. */
export function swapIn(from: string, to: string): void {
  const old = `${to}.chorus-old`
  rmSync(old, { recursive: true, force: true })
  if (exists(to)) renameSync(to, old)
  renameSync(from, to)
  rmSync(old, { recursive: true, force: true })
}

/** Puts back what an interrupted swap had put aside. */
export function recoverSwap(to: string): void {
  const old = `${to}.chorus-old`
  if (exists(old) && !exists(to)) renameSync(old, to)
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
