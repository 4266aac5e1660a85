import { common, type Span, wordDiff } from "../changes/word-diff.ts"

export interface DiffLine {
  readonly kind: "same" | "added" | "removed"
  readonly text: string
}

export interface DiffRow extends DiffLine {
  readonly before: number | undefined
  readonly after: number | undefined
  /** Which parts of it differ from the line it replaces or is replaced by. */
  readonly words?: readonly Span[]
}

/** Unchanged lines that nobody needs to read. */
export interface Fold {
  readonly hidden: readonly DiffRow[]
}

const CONTEXT = 3

/** Lines with their numbers on both sides; long unchanged stretches are folded away. */
export function foldedRows(lines: readonly DiffLine[]): readonly (DiffRow | Fold)[] {
  const rows = withWords(numbered(lines))
  const near = new Set<number>()
  rows.forEach((row, at) => {
    if (row.kind === "same") return
    for (let close = at - CONTEXT; close <= at + CONTEXT; close++) near.add(close)
  })
  const shown: (DiffRow | Fold)[] = []
  let hidden: DiffRow[] = []
  const flush = () => {
    if (hidden.length > 2) shown.push({ hidden })
    else shown.push(...hidden)
    hidden = []
  }
  rows.forEach((row, at) => {
    if (!near.has(at)) {
      hidden.push(row)
      return
    }
    flush()
    shown.push(row)
  })
  flush()
  return shown
}

/** Beyond this many pairs of lines two texts are shown as replaced as a whole: nobody waits for the comparison. */
const MOST_PAIRS = 4_000_000

/** The lines of both texts in reading order, each marked by where it stands. */
export function linesBetween(before: string, after: string): DiffLine[] {
  const [old, now] = [before, after].map((words) => (words === "" ? [] : words.split("\n"))) as [string[], string[]]
  const kept = old.length * now.length > MOST_PAIRS ? [] : common(old, now)
  const lines: DiffLine[] = []
  let [left, right] = [0, 0]
  for (const [from, to] of [...kept, [old.length, now.length] as const]) {
    for (; left < from; left++) lines.push({ kind: "removed", text: old[left] ?? "" })
    for (; right < to; right++) lines.push({ kind: "added", text: now[right] ?? "" })
    if (from < old.length) lines.push({ kind: "same", text: old[from] ?? "" })
    left = from + 1
    right = to + 1
  }
  return lines
}

/** The lines of a unified diff, without its headers; a new hunk is set apart by an empty unchanged line. */
export function linesOfPatch(patch: string): DiffLine[] {
  const lines: DiffLine[] = []
  let inside = false
  for (const line of patch.split("\n")) {
    if (line.startsWith("@@")) {
      if (lines.length > 0) lines.push({ kind: "same", text: "⋯" })
      inside = true
    } else if (inside && line.startsWith("+")) lines.push({ kind: "added", text: line.slice(1) })
    else if (inside && line.startsWith("-")) lines.push({ kind: "removed", text: line.slice(1) })
    else if (inside && line.startsWith(" ")) lines.push({ kind: "same", text: line.slice(1) })
  }
  return lines
}

export function isFold(row: DiffRow | Fold): row is Fold {
  return "hidden" in row
}

/** Lines that replace as many others are compared with them word by word. */
function withWords(rows: readonly DiffRow[]): readonly DiffRow[] {
  const all = [...rows]
  for (let at = 0; at < rows.length; at++) {
    const gone = stretch(rows, at, "removed")
    if (gone > 0 && stretch(rows, at + gone, "added") === gone)
      for (let one = at; one < at + gone; one++) {
        const [before, after] = [rows[one], rows[one + gone]]
        if (before === undefined || after === undefined) continue
        const words = wordDiff(before.text, after.text)
        if (words === undefined) continue
        all[one] = { ...before, words: words[0] }
        all[one + gone] = { ...after, words: words[1] }
      }
    at += gone
  }
  return all
}

function stretch(rows: readonly DiffRow[], from: number, kind: DiffLine["kind"]): number {
  let count = 0
  while (rows[from + count]?.kind === kind) count++
  return count
}

function numbered(lines: readonly DiffLine[]): DiffRow[] {
  let before = 0
  let after = 0
  return lines.map((line) => {
    if (line.kind !== "added") before++
    if (line.kind !== "removed") after++
    return {
      ...line,
      before: line.kind === "added" ? undefined : before,
      after: line.kind === "removed" ? undefined : after,
    }
  })
}
