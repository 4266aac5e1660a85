import { patchRows } from "./patch.ts"

/** A file of a change, as far as it can be told whether another change meets it there. */
export interface MeetingFile {
  readonly path: string
  readonly oldPath: string | null
  readonly status: string
  readonly binary: boolean
  /** Empty where the patch is not at hand. */
  readonly patch: string
}

/** What is too short to be known again wherever it stands. */
const PLAIN = 4

/**
 * Whether two changes of one file touch the same lines, as a merge would see it. From one base it is told by the numbers of the lines; from
 * two by what the lines said that both take away.
 */
export function meetInLines(one: MeetingFile, other: MeetingFile, sameBase: boolean): boolean {
  if (baseName(one) !== baseName(other)) return false
  if ([one, other].some(({ status, binary }) => binary || status === "deleted" || status === "added")) return true
  if (!sameBase) {
    const taken = new Set(takenAway(one))
    return takenAway(other).some((line) => taken.has(line))
  }
  const theirs = touchedSpans(other.patch)
  // Two changes side by side have no line between them by which a merge could tell them apart.
  return touchedSpans(one.patch).some(([from, to]) => theirs.some(([start, end]) => from <= end + 1 && start <= to + 1))
}

function baseName({ path, oldPath }: MeetingFile): string {
  return oldPath ?? path
}

function takenAway({ patch }: MeetingFile): string[] {
  return patchRows(patch).flatMap(({ kind, text }) =>
    kind === "removed" && text.trim().length > PLAIN ? [text.trim()] : [],
  )
}

/** Where a patch touches its base, as first and last line; what is only put in lies between two lines. */
function touchedSpans(patch: string): (readonly [number, number])[] {
  const spans: [number, number][] = []
  let open = false
  let next = 0
  for (const { kind, before, text } of patchRows(patch)) {
    if (kind === "hunk") next = Number(/^@@ -(\d+)/.exec(text)?.[1] ?? 0)
    if (before !== null) next = before + 1
    if (kind !== "removed" && kind !== "added") {
      open &&= kind === "note"
      continue
    }
    const at = before ?? next - 0.5
    const last = spans.at(-1)
    // What stands in the place of a line lies where that was.
    if (open && last !== undefined) last[1] = Math.max(last[1], before ?? 0)
    else spans.push([at, at])
    open = true
  }
  return spans
}
