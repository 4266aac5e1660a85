import { ChorusError } from "@chorus/contracts"
import { changeFile, lockNotes } from "@chorus/disk"
import { isObject, type JsonObject, parseJson, readText } from "../read/files.ts"
import type { ClaudeHome } from "./claude-home.ts"

const LARGEST = 64 * 1024 * 1024
export type MutableJson = { [key: string]: unknown }

/** The object in a JSON file, or an empty one when there is no file. A file that is not an object is never guessed at. */
export function readJsonFile(path: string): JsonObject {
  return objectIn(path, readText(path, LARGEST))
}

/**
 * Changes a JSON file that other programs write too: under its lock, from what it holds now, written beside it and
 * renamed over it. Keys that `change` does not touch stay. When nothing changed, nothing is written. A file of our own
 * that holds nothing any more can be dropped.
 */
export async function changeJsonFile<T>(
  home: Pick<ClaudeHome, "config">,
  path: string,
  change: (content: MutableJson) => T,
  options: { mode?: number; dropEmpty?: boolean } = {},
): Promise<T> {
  const { dropEmpty = false, ...how } = options
  let result: T | undefined
  await changeFile(
    path,
    (text) => {
      const before = JSON.stringify(objectIn(path, text))
      const content = JSON.parse(before) as MutableJson
      result = change(content)
      if (dropEmpty && Object.keys(content).length === 0) return undefined
      return JSON.stringify(content) === before ? text : `${JSON.stringify(content, null, 2)}\n`
    },
    { notes: lockNotes(home.config), ...how },
  )
  return result as T
}

/** An object inside a JSON file, made when it is not there. */
export function section(content: MutableJson, key: string): MutableJson {
  const value = Object.hasOwn(content, key) ? content[key] : undefined
  if (isObject(value)) return value as MutableJson
  const made: MutableJson = {}
  content[key] = made
  return made
}

function objectIn(path: string, text: string | undefined): JsonObject {
  if (text === undefined || text.trim() === "") return {}
  const { value, fault } = parseJson(text)
  if (fault === undefined && isObject(value)) return value
  throw new ChorusError(
    "state_unreadable",
    `${path} is not ${fault === undefined ? "a JSON object" : `valid JSON: ${fault}`}.`,
    { status: 500, next: "Repair the file or restore a copy of it; it was left as it is." },
  )
}
