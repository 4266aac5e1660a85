import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { basename } from "node:path"

/** A process above this one, or this one itself. */
export interface Forebear {
  readonly pid: number
  readonly name: string
  readonly words: readonly string[]
  /** The names of the variables it was started with, as far as the system lets one look. */
  readonly marks: readonly string[]
}

/** This process and all above it, the nearest first. */
export function ownLine(): Forebear[] {
  const [self, ...above] = lineOf(process.pid)
  return self === undefined ? [] : [{ ...self, marks: Object.keys(process.env) }, ...above]
}

/** A process and all above it, the nearest first. */
export function lineOf(first: number): Forebear[] {
  const line: Forebear[] = []
  for (let pid = first; pid > 0;) {
    const found = process.platform === "linux" ? fromProc(pid) : fromPs(pid)
    if (found === undefined) break
    line.push(found.forebear)
    pid = found.parent
  }
  return line
}

interface Found {
  readonly forebear: Forebear
  readonly parent: number
}

function fromProc(pid: number): Found | undefined {
  const stat = textOf(`/proc/${pid}/stat`)
  const end = stat.lastIndexOf(")")
  if (end < 0) return undefined
  const marks = textOf(`/proc/${pid}/environ`)
    .split("\0")
    .map((pair) => pair.slice(0, Math.max(0, pair.indexOf("="))))
  const words = textOf(`/proc/${pid}/cmdline`).split("\0")
  const name = stat.slice(stat.indexOf("(") + 1, end)
  return { forebear: { pid, name, words, marks }, parent: Number(stat.slice(end + 2).split(" ")[1]) }
}

/** Other systems do not show the variables of a process that is not ours to read. */
function fromPs(pid: number): Found | undefined {
  try {
    const row = execFileSync("ps", ["-o", "ppid=,command=", "-p", String(pid)], { encoding: "utf8" }).trim()
    const [parent = "", ...words] = row.split(/\s+/)
    return { forebear: { pid, name: basename(words[0] ?? ""), words, marks: [] }, parent: Number(parent) }
  } catch {
    return undefined
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
