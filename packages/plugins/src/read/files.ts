import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { ChorusError } from "@chorus/contracts"

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
