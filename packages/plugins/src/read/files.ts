import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser"

/** No manifest, catalogue or component file of a plugin is read beyond this. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024
const MAX_DEPTH = 12
const MAX_LISTED = 20_000

/** The text of a file, or undefined when it is not there. Throws `file_too_large` before reading anything of a huge file. */
export function readText(path: string, limit = MAX_FILE_BYTES): string | undefined {
  let handle: number
  try {
    handle = openSync(path, "r")
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  try {
    const stat = fstatSync(handle)
    if (!stat.isFile()) return undefined
    if (stat.size > limit) throw tooLarge(path, stat.size, limit)
    const buffer = Buffer.allocUnsafe(stat.size)
    const read = readSync(handle, buffer, 0, stat.size, 0)
    return buffer.toString("utf8", 0, read)
  } finally {
    closeSync(handle)
  }
}

export type EntryKind = "file" | "directory" | "missing" | "escapes"

/** What a path inside `root` is. A link that leads out of the root counts as `escapes`, never as what it points to. */
export function kindInside(root: string, path: string): EntryKind {
  const full = join(root, path)
  if (!isInside(root, full)) return "escapes"
  try {
    const stat = statSync(full)
    if (!isInside(realpathSync(root), realpathSync(full))) return "escapes"
    return stat.isDirectory() ? "directory" : "file"
  } catch (error) {
    if (isMissing(error)) return isBrokenLink(full) ? "escapes" : "missing"
    throw error
  }
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep))
}

/** Files below `folder` whose name ends with `suffix`, as paths relative to it, sorted. Links are not followed, folders called like one in `skip` not entered. */
export function listFiles(folder: string, suffix: string, skip?: ReadonlySet<string>): string[] {
  const found: string[] = []
  walk(folder, "", 0)
  return found.sort()

  function walk(at: string, prefix: string, depth: number): void {
    if (depth > MAX_DEPTH || found.length >= MAX_LISTED) return
    for (const entry of entriesOf(at)) {
      const name = prefix + entry.name
      if (skip?.has(entry.name) === true) continue
      if (entry.isDirectory()) walk(join(at, entry.name), `${name}/`, depth + 1)
      else if (entry.isFile() && entry.name.endsWith(suffix)) found.push(name)
    }
  }
}

/** Names of the folders directly below `folder`, sorted; links left out. */
export function listFolders(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

export function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Also for a name that no file can have: too long, round in circles, with a null in it. */
export function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "ERR_INVALID_ARG_VALUE"].includes(errorCode(error) ?? "")
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined
}

function isBrokenLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

function tooLarge(path: string, size: number, limit: number): ChorusError {
  return new ChorusError(
    "file_too_large",
    `${path} is ${Math.round(size / 1024)} KiB; at most ${Math.round(limit / 1024)} KiB are read.`,
    {
      next: "Make the file smaller; manifests and catalogues hold names and settings, not content.",
    },
  )
}

export type JsonObject = { readonly [key: string]: unknown }
export type JsonPath = readonly (string | number)[]

export interface JsonText {
  readonly text: string
  readonly value: unknown
  /** The parser's words when the text is not JSON; then `value` is undefined. */
  readonly fault: string | undefined
}

/** Parses strict JSON. A byte order mark is dropped only where the reader of that file drops it. */
export function parseJson(text: string, options: { bom: "accept" | "refuse" } = { bom: "accept" }): JsonText {
  const body = options.bom === "accept" && text.startsWith("\uFEFF") ? text.slice(1) : text
  try {
    return { text, value: JSON.parse(body) as unknown, fault: undefined }
  } catch (error) {
    return { text, value: undefined, fault: error instanceof Error ? error.message : String(error) }
  }
}

/** A plain object and nothing else. `__proto__` arrives as an own key from JSON.parse, so reading by `Object.entries` is inert. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** An own property, never one from the prototype (`constructor`, `toString`). */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string")
}

export function isStringMap(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((item) => typeof item === "string")
}

/** What people call the type of a JSON value. */
export function typeName(value: unknown): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value
}

/** Line (from 1) of the value at `path`, or of its nearest ancestor that is there. */
export function lineOf(text: string, path: JsonPath): number | undefined {
  const tree = treeOf(text)
  if (tree === undefined) return undefined
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, depth))
    if (node !== undefined) return lineAt(text, node.parent?.type === "property" ? node.parent.offset : node.offset)
  }
  return undefined
}

export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let index = text.indexOf("\n"); index !== -1 && index < offset; index = text.indexOf("\n", index + 1)) line += 1
  return line
}

/** `plugins[0].source`, the way a person would write it. */
export function formatPath(path: JsonPath): string {
  return path.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`)).join("")
}

let last: { text: string; tree: Node | undefined } | undefined
/** One file has many findings in a row: the tree of the last text is kept. */
function treeOf(text: string): Node | undefined {
  if (last?.text !== text) last = { text, tree: text.length > 5_000_000 ? undefined : parseTree(text) }
  return last.tree
}
