import { randomBytes } from "node:crypto"
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { dirname } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { isMissing, isObject, type JsonObject, parseJson, readText } from "../read/files.ts"
import { withFileLock } from "./file-lock.ts"

const LARGEST = 64 * 1024 * 1024
export type MutableJson = { [key: string]: unknown }

/** The object in a JSON file, or an empty one when there is no file. A file that is not an object is never guessed at. */
export function readJsonFile(path: string): JsonObject {
  const text = readText(path, LARGEST)
  if (text === undefined || text.trim() === "") return {}
  const { value, fault } = parseJson(text)
  if (fault === undefined && isObject(value)) return value
  throw new ChorusError(
    "state_unreadable",
    `${path} is not ${fault === undefined ? "a JSON object" : `valid JSON: ${fault}`}.`,
    { status: 500, next: "Repair the file or restore a copy of it; it was left as it is." },
  )
}

/**
 * Changes a JSON file that other programs write too: under its lock, from what it holds now, written beside it and
 * renamed over it. Keys that `change` does not touch stay. When nothing changed, nothing is written.
 */
export async function changeJsonFile<T>(
  path: string,
  change: (content: MutableJson) => T,
  options: { mode?: number } = {},
): Promise<T> {
  const file = realPath(path)
  return withFileLock(file, () => {
    const before = JSON.stringify(readJsonFile(file))
    const content = JSON.parse(before) as MutableJson
    const result = change(content)
    if (JSON.stringify(content) !== before) writeAtomic(file, `${JSON.stringify(content, null, 2)}\n`, options.mode)
    return result
  })
}

/** Writes a file so that a reader sees the old or the new content whole, also after a crash. */
export function writeAtomic(path: string, text: string, mode?: number): void {
  mkdirSync(dirname(path), { recursive: true })
  const aside = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`
  try {
    const handle = openSync(aside, "wx", mode ?? modeOf(path) ?? 0o600)
    try {
      writeSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(aside, path)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
}

/** An object inside a JSON file, made when it is not there. */
export function section(content: MutableJson, key: string): MutableJson {
  const value = Object.hasOwn(content, key) ? content[key] : undefined
  if (isObject(value)) return value as MutableJson
  const made: MutableJson = {}
  content[key] = made
  return made
}

/** People keep settings as links into a repository of their own; the link must survive a rename. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (isMissing(error)) return path
    throw error
  }
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode & 0o777
  } catch {
    return undefined
  }
}
