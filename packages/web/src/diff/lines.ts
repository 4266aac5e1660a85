export interface DiffLine {
  readonly kind: "same" | "added" | "removed"
  readonly text: string
}

export interface DiffRow extends DiffLine {
  readonly before: number | undefined
  readonly after: number | undefined
}

/** Unchanged lines that nobody needs to read. */
export interface Fold {
  readonly hidden: readonly DiffRow[]
}

const CONTEXT = 3

/** Lines with their numbers on both sides; long unchanged stretches are folded away. */
export function foldedRows(lines: readonly DiffLine[]): readonly (DiffRow | Fold)[] {
  const rows = numbered(lines)
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
