import { createHash } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { diff } from "node:util"
import { listTree } from "../fetch/index.ts"

/** One file of a plugin that is not what it was when the person agreed. */
export interface FileChange {
  readonly path: string
  readonly change: "added" | "changed" | "removed"
  /** The lines that differ, with some around them; left out for what is not text or no longer there to compare. */
  readonly diff?: string
}

export type FileHashes = Readonly<Record<string, string>>

const MOST_TEXT = 200_000
const MOST_LINES = 60
const AROUND = 2

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
      return { path, change, ...(old === undefined || now === undefined ? {} : { diff: lineDiff(old, now) }) }
    })
}

function lineDiff(before: string, after: string): string {
  const marks = { "-1": "+", "0": " ", "1": "-" } as const
  const lines = diff(linesOf(before), linesOf(after))
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(([sign]) => sign !== 0))
  const shown = lines.filter((_, at) => near[at]).map(([sign, line]) => `${marks[sign]} ${line}`)
  const left = shown.length - MOST_LINES
  return (left > 0 ? [...shown.slice(0, MOST_LINES), `… ${left} more lines`] : shown).join("\n")
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n")
}

function textOf(folder: string, path: string, hash: string): string | undefined {
  try {
    const bytes = bytesOf(folder, path)
    return hashOf(bytes) !== hash || bytes.length > MOST_TEXT || bytes.includes(0) ? undefined : bytes.toString("utf8")
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
