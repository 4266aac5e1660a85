import { createHash } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { diff } from "node:util"
import { listTree } from "../fetch/index.ts"
import { flaggedLines } from "./download-shape.ts"

/** One file of a plugin that is not what it was when the person agreed, or that the plugin is now about to run. */
export interface FileChange {
  readonly path: string
  /** `brings`: nothing starts it by its name, but what runs may load it. */
  readonly change: "added" | "changed" | "removed" | "runs" | "brings"
  /** The lines that differ, with some around them; left out for what is not text, or too long. */
  readonly diff?: string
  /** The former bytes are gone, as they are where a plugin is read in place: the lines are those of the whole file. */
  readonly isWhole?: true
  /** Lines known to be dangerous or to fetch something, also where they are not among those shown. */
  readonly flags?: readonly string[]
}

export type FileHashes = Readonly<Record<string, string>>

const MOST_TEXT = 200_000
const MOST_LINES = 60
const AROUND = 2
const FIRST_LINES = 20

/** Every file of a plugin with the hash of its bytes: whatever a command of it may load is among them. */
export function hashFiles(folder: string): FileHashes {
  return Object.fromEntries(
    listTree(folder).map(({ path, kind }) => [
      path,
      hashOf(kind === "link" ? readlinkSync(join(folder, path)) : bytesOf(folder, path)),
    ]),
  )
}

/** What changed between two trees. Lines are shown where the folder of the first still has its bytes. */
export function changedFiles(
  before: { files: FileHashes; folder: string },
  after: { files: FileHashes; folder: string },
): FileChange[] {
  const paths = [...new Set([...Object.keys(before.files), ...Object.keys(after.files)])].sort()
  return paths
    .filter((path) => before.files[path] !== after.files[path])
    .map((path): FileChange => {
      const [was, is] = [before.files[path], after.files[path]]
      const change = was === undefined ? "added" : is === undefined ? "removed" : "changed"
      const old = was === undefined ? "" : textOf(before.folder, path, was)
      const now = is === undefined ? "" : textOf(after.folder, path, is)
      if (now === undefined || (old === undefined && is === undefined)) return { path, change }
      return old === undefined
        ? { path, change, diff: wholeText(now, MOST_LINES), isWhole: true }
        : { path, change, diff: lineDiff(old, now) }
    })
}

/** The first lines of files that a plugin runs, and what to look at in the rest. */
export function shownScripts(folder: string, files: FileHashes, paths: readonly string[]): FileChange[] {
  return paths.map((path): FileChange => {
    const text = textOf(folder, path, files[path])
    return text === undefined
      ? { path, change: "runs" }
      : {
          path,
          change: "runs",
          diff: wholeText(text, FIRST_LINES),
          ...flagsOf(flaggedLines(text)),
        }
  })
}

export function flagsOf(lines: ReturnType<typeof flaggedLines>): Pick<FileChange, "flags"> {
  const flags = lines.map(({ line, does, text: said }) => `line ${line} ${does}: ${said}`)
  return flags.length === 0 ? {} : { flags }
}

function wholeText(text: string, most: number): string {
  return folded(
    linesOf(text).map((line) => `  ${line}`),
    most,
  )
}

function folded(lines: readonly string[], most: number): string {
  const left = lines.length - most
  return (left > 0 ? [...lines.slice(0, most), `… ${left} more ${left === 1 ? "line" : "lines"}`] : lines).join("\n")
}

function lineDiff(before: string, after: string): string {
  const marks = { "-1": "+", "0": " ", "1": "-" } as const
  const lines = diff(linesOf(before), linesOf(after))
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(([sign]) => sign !== 0))
  const shown = lines.filter((_, at) => near[at]).map(([sign, line]) => `${marks[sign]} ${line}`)
  return folded(shown, MOST_LINES)
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n")
}

/** A file as text, where it is text and, with a hash, still the one meant. */
export function textOf(folder: string, path: string, hash?: string): string | undefined {
  try {
    const bytes = bytesOf(folder, path)
    const other = hash !== undefined && hashOf(bytes) !== hash
    return other || bytes.length > MOST_TEXT || bytes.includes(0) ? undefined : bytes.toString("utf8")
  } catch {
    return undefined
  }
}

function bytesOf(folder: string, path: string): Buffer {
  return readFileSync(join(folder, path))
}

function hashOf(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex")
}
