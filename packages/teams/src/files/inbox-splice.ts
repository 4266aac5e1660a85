import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs"
import { type HeldLock, isErrno, LockLost, replaceFile } from "@chorus/disk"
import { Unfinished } from "./patient-json.ts"

/**
 * Appends one entry to a JSON array without parsing it. A small file is written anew and renamed. In a large one only the
 * closing bracket is overwritten, by one write, so that the cost does not grow with the inbox; a write that fails is undone.
 */
export function spliceEntry(path: string, entry: object, held: HeldLock, inPlaceFrom = 256 * 1024): void {
  const block = blockOf(entry)
  const file = openIfThere(path)
  if (file === undefined) return replaceFile(path, `[\n${block}\n]`, { held })
  try {
    const size = fstatSync(file).size
    const end = endOfArray(file, size)
    if (end === undefined)
      return replaceFile(path, JSON.stringify([...wholeList(file, size), entry], null, 2), { held })
    const tail = Buffer.from(end.empty ? `[\n${block}\n]` : `,\n${block}\n]`)
    if (size < inPlaceFrom) return replaceFile(path, Buffer.concat([bytesOf(file, 0, end.at), tail]), { held })
    held.assertHeld()
    overwriteTail(file, end.at, bytesOf(file, end.at, size - end.at), tail)
  } finally {
    closeSync(file)
  }
  held.assertHeld()
}

/** True when the file holds exactly this entry: an append that was cut off after its write is not repeated. */
export function holdsEntry(path: string, entry: object): boolean {
  const file = openIfThere(path)
  if (file === undefined) return false
  try {
    return bytesOf(file, 0, fstatSync(file).size).includes(blockOf(entry))
  } finally {
    closeSync(file)
  }
}

/** As it stands in the list. Only line feeds are line ends here: a pattern would also take the separators that a text may hold for such. */
function blockOf(entry: object): string {
  return `  ${JSON.stringify(entry, null, 2).replaceAll("\n", "\n  ")}`
}

interface ArrayEnd {
  /** Where the new bytes go: after the last entry, or over the opening bracket of an empty array. */
  readonly at: number
  readonly empty: boolean
}

/** Undefined when the end is none that we or Claude Code write. */
function endOfArray(file: number, size: number): ArrayEnd | undefined {
  const from = Math.max(0, size - 256)
  const tail = bytesOf(file, from, size - from)
  const close = lastInk(tail, tail.length)
  if (tail[close] !== BRACKET_CLOSE) return undefined
  const before = lastInk(tail, close)
  if (tail[before] === BRACE_CLOSE) return { at: from + before + 1, empty: false }
  if (tail[before] === BRACKET_OPEN && from === 0 && lastInk(tail, before) < 0) return { at: before, empty: true }
  return undefined
}

/** A list may be whole and end in something odd; anything else is somebody's unfinished write. */
function wholeList(file: number, size: number): unknown[] {
  try {
    const value: unknown = JSON.parse(bytesOf(file, 0, size).toString("utf8"))
    if (Array.isArray(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Unfinished()
}

const BRACKET_OPEN = 0x5b
const BRACKET_CLOSE = 0x5d
const BRACE_CLOSE = 0x7d

function lastInk(bytes: Uint8Array, before: number): number {
  let at = before - 1
  while (at >= 0 && (bytes[at] ?? 0) <= 0x20) at--
  return at
}

function overwriteTail(file: number, at: number, old: Uint8Array, tail: Uint8Array): void {
  try {
    const written = writeSync(file, tail, 0, tail.length, at)
    if (written === tail.length) return fdatasyncSync(file)
    throw Object.assign(new Error("short write"), { code: "ENOSPC" })
  } catch (error) {
    writeSync(file, old, 0, old.length, at)
    ftruncateSync(file, at + old.length)
    throw error
  }
}

function bytesOf(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let got = 0
  while (got < length) {
    const count = readSync(file, bytes, got, length - got, from + got)
    if (count === 0) throw new Unfinished()
    got += count
  }
  return bytes
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r+")
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined
    if (isErrno(error, "ENOTDIR")) throw new LockLost(path)
    throw error
  }
}
