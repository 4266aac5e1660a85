import { readFileSync, statSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { ChorusError } from "@chorus/contracts"
import { isErrno } from "@chorus/disk"

/**
 * A file that does not parse may be half-written by somebody else: it is read again until so long after it was last
 * written, and then counts as damaged.
 */
const PATIENCE_MS = 5_000
const LOOK_MS = 250

/** Reads JSON that other programs also write. Undefined when there is no file; never moves or empties a file that does not parse. */
export async function readJson(path: string, patienceMs = PATIENCE_MS): Promise<unknown> {
  const started = performance.now()
  for (;;) {
    const read = tryReadJson(path)
    if (read.state !== "unfinished") return read.value
    if (isOver(path, started, patienceMs)) throw damaged(path)
    await pause(15)
  }
}

export type JsonRead =
  | { state: "read"; value: unknown }
  | { state: "missing"; value: undefined }
  | { state: "unfinished"; value: undefined }

export function tryReadJson(path: string): JsonRead {
  try {
    return { state: "read", value: JSON.parse(readFileSync(path, "utf8")) as unknown }
  } catch (error) {
    // A folder in the place of a file is no file either.
    if (isErrno(error, "ENOENT", "ENOTDIR", "EISDIR")) return { state: "missing", value: undefined }
    if (error instanceof SyntaxError) return { state: "unfinished", value: undefined }
    throw error
  }
}

export function damaged(path: string): ChorusError {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return new ChorusError("file_damaged", `${path} (${size} bytes) is not valid JSON and did not become so.`, {
    next: "Run `chorus team doctor --repair`; it saves a copy and keeps every whole message.",
    status: 500,
  })
}

/** Work under a lock found an unfinished file: let go of the lock, wait, try again. */
export class Unfinished extends Error {}

export async function patiently<T>(path: string, work: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  const started = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unfinished)) throw error
      if (isOver(path, started, patienceMs)) throw damaged(path)
      await pause(15)
    }
  }
}

/** Clocks may disagree about when it was written, so nothing is given up at first sight. */
function isOver(path: string, started: number, patienceMs: number): boolean {
  const waited = performance.now() - started
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  return waited > patienceMs || (waited > LOOK_MS && Date.now() - written > patienceMs)
}
