import { type PatchRow, patchRows } from "@chorus/core"
import { type Span, wordDiff } from "./word-diff.ts"

/** A row as it is drawn: with the parts in which it differs from the line that it replaces. */
export interface ShownRow extends PatchRow {
  readonly words?: readonly Span[]
}

/** What one line of the screen shows: a row, or the two rows that stand side by side. */
export interface ShownLine {
  readonly left: ShownRow | null
  readonly right: ShownRow | null
}

export interface RowsOptions {
  /** What differs only by blanks counts as the same. */
  readonly ignoreSpace: boolean
}

/** The rows of a file's patch; a line that replaces another has its words compared. */
export function shownRows(patch: string, { ignoreSpace }: RowsOptions): ShownRow[] {
  const rows: ShownRow[] = []
  for (const run of runsOf(patchRows(patch))) {
    const removed = run.filter(({ kind }) => kind === "removed")
    const added = run.filter(({ kind }) => kind === "added")
    if (removed.length === 0 || added.length === 0) rows.push(...run)
    else if (ignoreSpace && removed.length === added.length && removed.every((row, at) => isAlike(row, added[at])))
      rows.push(...added.map((row, at) => ({ ...row, kind: "same" as const, before: removed[at]?.before ?? null })))
    else rows.push(...compared(run, removed, added))
  }
  return rows
}

/** The whole file after the change, with what was removed in its place. */
export function wholeFile(rows: readonly ShownRow[], content: string): ShownRow[] {
  const lines = content.split("\n")
  if (lines.at(-1) === "") lines.pop()
  const all: ShownRow[] = []
  let [before, after] = [1, 1]
  const fill = (until: number) => {
    for (; after < until; before++, after++) all.push({ kind: "same", before, after, text: lines[after - 1] ?? "" })
  }
  for (const row of rows) {
    if (row.kind === "hunk") {
      const start = /\+(\d+)(?:,(\d+))?/.exec(row.text)
      // A hunk that adds nothing names the line before it.
      fill(Number(start?.[1] ?? 1) + (start?.[2] === "0" ? 1 : 0))
      continue
    }
    all.push(row)
    if (row.before !== null) before = row.before + 1
    if (row.after !== null) after = row.after + 1
  }
  fill(lines.length + 1)
  return all
}

/** One under the other, or what was and what became of it side by side. */
export function linesOf(rows: readonly ShownRow[], split: boolean): ShownLine[] {
  if (!split) return rows.map((row) => ({ left: row, right: null }))
  return runsOf(rows).flatMap((run): ShownLine[] => {
    const removed = run.filter(({ kind }) => kind === "removed")
    const added = run.filter(({ kind }) => kind === "added")
    if (removed.length + added.length === 0) return run.map((row) => ({ left: row, right: row }))
    const notes = run.filter(({ kind }) => kind === "note").map((row) => ({ left: row, right: row }))
    const sides = Array.from({ length: Math.max(removed.length, added.length) }, (_, at) => ({
      left: removed[at] ?? null,
      right: added[at] ?? null,
    }))
    return [...sides, ...notes]
  })
}

/** Rows that changed together, and the others between them. */
function runsOf(rows: readonly ShownRow[]): ShownRow[][] {
  const runs: ShownRow[][] = []
  let changing = false
  for (const row of rows) {
    const changes: boolean = row.kind === "removed" || row.kind === "added" || (row.kind === "note" && changing)
    const last = runs.at(-1)
    if (last !== undefined && changes === changing) last.push(row)
    else runs.push([row])
    changing = changes
  }
  return runs
}

function compared(run: readonly ShownRow[], removed: readonly ShownRow[], added: readonly ShownRow[]): ShownRow[] {
  const words = new Map<ShownRow, readonly Span[]>()
  removed.forEach((row, at) => {
    const other = added[at]
    const spans = other === undefined ? undefined : wordDiff(row.text, other.text)
    if (spans === undefined || other === undefined) return
    words.set(row, spans[0])
    words.set(other, spans[1])
  })
  return run.map((row) => {
    const spans = words.get(row)
    return spans === undefined ? row : { ...row, words: spans }
  })
}

function isAlike(row: ShownRow, other: ShownRow | undefined): boolean {
  return row.text.replaceAll(/\s/g, "") === other?.text.replaceAll(/\s/g, "")
}
