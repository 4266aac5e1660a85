import type { changes } from "@chorus/contracts"
import { gitBytes, gitStream } from "./git.ts"

/** As plain `git diff` prints it, whatever a person has set for their own eyes. */
const PLAIN = [
  "diff",
  "-M",
  "-U3",
  "--inter-hunk-context=0",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--no-relative",
  "--diff-algorithm=myers",
  "--indent-heuristic",
  "--submodule=short",
  "--ignore-submodules=none",
  "--src-prefix=a/",
  "--dst-prefix=b/",
]
const BEGIN = Buffer.from("\ndiff --git ")
const STATUSES: Readonly<Record<string, changes.ChangeFile["status"]>> = {
  A: "added",
  C: "copied",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "type_changed",
}

/** What git lists of one changed file. */
export interface RawFile {
  readonly path: string
  readonly oldPath: string | null
  readonly status: changes.ChangeFile["status"]
  readonly oldMode: string | null
  readonly newMode: string | null
  readonly oldId: string
  readonly newId: string
  readonly additions: number
  readonly deletions: number
  readonly binary: boolean
}

export interface Between {
  readonly folder: string
  readonly before: string
  readonly after: string
  readonly env: Readonly<Record<string, string>>
}

export async function rawFiles({ folder, before, after, env }: Between): Promise<RawFile[]> {
  const words = [...PLAIN, "--raw", "--numstat", "--no-abbrev", "-z", before, after, "--"]
  const fields = splitAt(await gitBytes(folder, words, { env }), 0).map(nameOf)
  const files: Omit<RawFile, "additions" | "deletions" | "binary">[] = []
  let at = 0
  for (; fields[at]?.startsWith(":") === true; at++) {
    const [oldMode, newMode, oldId, newId, state] = (fields[at] ?? "").slice(1).split(" ")
    const status = STATUSES[state?.charAt(0) ?? ""] ?? "modified"
    const moved = status === "renamed" || status === "copied"
    const first = fields[++at] ?? ""
    const path = moved ? (fields[++at] ?? "") : first
    files.push({
      path,
      oldPath: moved ? first : null,
      status,
      oldMode: modeOf(oldMode),
      newMode: modeOf(newMode),
      oldId: oldId ?? "",
      newId: newId ?? "",
    })
  }
  return files.map((file) => {
    const [added, deleted, name] = (fields[at++] ?? "").split("\t")
    // Of a file that was moved both names follow.
    if (name === "") at += 2
    return {
      ...file,
      additions: Number(added) || 0,
      deletions: Number(deleted) || 0,
      binary: added === "-",
    }
  })
}

/** The patch of each file in git's order; undefined where it is longer than may be kept. */
export async function* patches(
  { folder, before, after, env }: Between,
  most: number,
): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = []
  let size = 0
  let rest: Buffer = Buffer.alloc(0)
  const keep = (part: Buffer) => {
    size += part.length
    if (size <= most) parts.push(part)
  }
  const taken = () => {
    const patch = size > most ? undefined : Buffer.concat(parts)
    parts = []
    size = 0
    return patch
  }
  for await (const chunk of gitStream(folder, [...PLAIN, "-p", before, after, "--"], { env })) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let found = rest.indexOf(BEGIN); found !== -1; found = rest.indexOf(BEGIN)) {
      keep(rest.subarray(0, found + 1))
      yield taken()
      rest = rest.subarray(found + 1)
    }
    // The beginning of the next file may be cut in two by the end of what has come.
    const sure = Math.max(0, rest.length - BEGIN.length)
    keep(rest.subarray(0, sure))
    rest = rest.subarray(sure)
  }
  keep(rest)
  if (size > 0) yield taken()
}

/** Names are bytes to git; those that are no UTF-8 keep each byte as a letter. */
function nameOf(bytes: Buffer): string {
  const text = bytes.toString("utf8")
  return writtenOut(text.includes("\ufffd") ? bytes.toString("latin1") : text)
}

/** What moves a cursor is written out. */
export function writtenOut(text: string): string {
  return text.replaceAll(/(?![\t\n\r])\p{Cc}/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`)
}

function modeOf(mode: string | undefined): string | null {
  return mode === undefined || mode === "000000" ? null : mode
}

function splitAt(bytes: Buffer, mark: number): Buffer[] {
  const parts: Buffer[] = []
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(mark, from)
    parts.push(bytes.subarray(from, end === -1 ? bytes.length : end))
    from = end === -1 ? bytes.length : end + 1
  }
  return parts
}
