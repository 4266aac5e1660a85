export type PatchRowKind = "hunk" | "same" | "added" | "removed" | "note"

/** One row of a file's patch, with the number that its line has on each side. */
export interface PatchRow {
  readonly kind: PatchRowKind
  readonly before: number | null
  readonly after: number | null
  readonly text: string
}

export type PatchStatus = "added" | "modified" | "deleted" | "renamed" | "copied" | "type_changed"

/** What the head of a file's patch says. */
export interface PatchHead {
  readonly path: string
  readonly oldPath: string | null
  readonly status: PatchStatus
  readonly oldMode: string | null
  readonly newMode: string | null
  readonly binary: boolean
  readonly additions: number
  readonly deletions: number
  readonly rows: number
}

const BEGIN = "diff --git "
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/** The parts of a patch, one for each file; together they are the patch again. */
export function patchSections(patch: string): string[] {
  const starts = patch.startsWith(BEGIN) ? [0] : []
  for (let at = patch.indexOf(`\n${BEGIN}`); at !== -1; at = patch.indexOf(`\n${BEGIN}`, at + 1)) starts.push(at + 1)
  return starts.map((start, index) => patch.slice(start, starts[index + 1] ?? patch.length))
}

/** The rows of one file's patch, from its first hunk on; its head is none of them. */
export function patchRows(section: string): PatchRow[] {
  const rows: PatchRow[] = []
  let [before, after, oldLeft, newLeft] = [0, 0, 0, 0]
  for (const line of linesOf(section)) {
    const hunk = oldLeft <= 0 && newLeft <= 0 ? HUNK.exec(line) : null
    if (hunk !== null) {
      ;[before, after] = [Number(hunk[1]), Number(hunk[3])]
      ;[oldLeft, newLeft] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)]
      rows.push({ kind: "hunk", before: null, after: null, text: line })
      continue
    }
    if (line.startsWith("\\") && rows.length > 0) {
      rows.push({ kind: "note", before: null, after: null, text: line.slice(2) })
      continue
    }
    if (oldLeft <= 0 && newLeft <= 0) continue
    const text = line.slice(1)
    if (line.startsWith("-")) {
      rows.push({ kind: "removed", before: before++, after: null, text })
      oldLeft -= 1
    } else if (line.startsWith("+")) {
      rows.push({ kind: "added", before: null, after: after++, text })
      newLeft -= 1
    } else {
      rows.push({ kind: "same", before: before++, after: after++, text })
      oldLeft -= 1
      newLeft -= 1
    }
  }
  return rows
}

/** What a file's patch says of the file, as `git diff` writes it. */
export function patchHead(section: string): PatchHead {
  const lines = linesOf(section)
  const body = lines.findIndex((line) => HUNK.test(line))
  const head = body === -1 ? lines : lines.slice(0, body)
  const said = (word: string) => head.find((line) => line.startsWith(word))?.slice(word.length)
  const created = said("new file mode ")
  const deleted = said("deleted file mode ")
  const from = said("rename from ") ?? said("copy from ")
  const named = namesIn(lines[0] ?? "")
  const oldPath = from === undefined ? sidePath(said("--- ")) : plainPath(from)
  const newPath = from === undefined ? sidePath(said("+++ ")) : plainPath(said("rename to ") ?? said("copy to ") ?? "")
  const mode = /^index \S+ (\d{6})$/m.exec(head.join("\n"))?.[1] ?? null
  const rows = patchRows(section)
  return {
    path: newPath ?? oldPath ?? named,
    oldPath: from === undefined ? null : plainPath(from),
    status: statusOf(created, deleted, said),
    oldMode: deleted ?? said("old mode ") ?? (created === undefined ? mode : null),
    newMode: created ?? said("new mode ") ?? (deleted === undefined ? mode : null),
    binary: head.some((line) => line.startsWith("Binary files ") || line === "GIT binary patch"),
    additions: rows.filter(({ kind }) => kind === "added").length,
    deletions: rows.filter(({ kind }) => kind === "removed").length,
    rows: rows.length,
  }
}

function statusOf(
  created: string | undefined,
  deleted: string | undefined,
  said: (word: string) => string | undefined,
): PatchStatus {
  if (created !== undefined) return "added"
  if (deleted !== undefined) return "deleted"
  if (said("rename from ") !== undefined) return "renamed"
  return said("copy from ") === undefined ? "modified" : "copied"
}

/** `--- a/x` and `+++ b/x`; nothing where the file is not on that side. A name with a blank in it ends with a tab. */
function sidePath(text: string | undefined): string | null {
  if (text === undefined) return null
  const name = plainPath(text.replace(/\t$/, ""))
  return name === "/dev/null" ? null : name.replace(/^[ab]\//, "")
}

/** Of `diff --git a/x b/x` both names are the same where no other line says more. */
function namesIn(first: string): string {
  const names = first.slice(BEGIN.length)
  if (names.startsWith('"')) return plainPath(names.slice(0, names.indexOf('" ') + 1)).replace(/^a\//, "")
  return names.slice(2, (names.length - 1) / 2)
}

/** Git writes unusual names in quotes, byte by byte. */
function plainPath(text: string): string {
  if (!text.startsWith('"')) return text
  const bytes: number[] = []
  const quoted = text.slice(1, -1)
  const letters: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }
  for (const [, octal, letter, plain] of quoted.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (letter !== undefined) bytes.push(letters[letter] ?? letter.charCodeAt(0))
    else bytes.push(...new TextEncoder().encode(plain))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

function linesOf(section: string): string[] {
  const lines = section.split("\n")
  if (lines.at(-1) === "") lines.pop()
  return lines
}
