import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { livenessOf, ownIdentity, processStart } from "@chorus/disk"
import { entriesOf } from "../read/files.ts"

const PREFIX = "temp_chorus_"
/** The machine, the process and, but in names of before, when it began. */
const NAME = new RegExp(`^${PREFIX}([0-9a-f]+)_(\\d+)_(?:([0-9a-f]{8})_)?`)
const DAY_MS = 24 * 60 * 60 * 1000

/** A folder of our own beside the place the result will be moved to, so that the move is a rename. */
export function makeStage(parent: string): string {
  mkdirSync(parent, { recursive: true })
  const { pid, procStart } = ownIdentity()
  const path = join(parent, `${PREFIX}${machine()}_${pid}_${digest(procStart)}_${randomBytes(6).toString("hex")}`)
  mkdirSync(path)
  return path
}

/** Removes what processes that are gone left behind; those of another machine that shares this home only after a day. */
export function sweepStages(parent: string): void {
  for (const entry of entriesOf(parent)) {
    const [, host, pid, begun] = NAME.exec(entry.name) ?? []
    if (host === undefined || pid === undefined) continue
    const path = join(parent, entry.name)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (host === machine() ? !isAlive(Number(pid), begun) : age > DAY_MS) rmSync(path, { recursive: true, force: true })
  }
}

/** Names this machine or container: a process id means something only on it. */
export function machine(): string {
  return digest(ownIdentity().pidSpace)
}

/** Whether it is still the process that made a stage: a process id comes back for another. */
function isAlive(pid: number, begun: string | undefined): boolean {
  const start = processStart(pid)
  return livenessOf({ pid }) !== "dead" && (begun === undefined || start === undefined || digest(start) === begun)
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8)
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
