import { createTwoFilesPatch, diffLines } from "diff"

/** Beyond this many differing lines two texts are shown as replaced as a whole: the time grows with its square, and everybody waits for it. */
const MOST_EDITS = 350

export interface DiffLine {
  readonly kind: "same" | "added" | "removed"
  readonly text: string
}

/** The lines of both texts in reading order, each marked by where it stands. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const parts = diffLines(ended(before), ended(after), { maxEditLength: MOST_EDITS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ]
  return parts.flatMap(({ value, added, removed }) => {
    const kind = added ? "added" : removed ? "removed" : "same"
    return linesOf(value).map((text) => ({ kind, text }) as const)
  })
}

/** A unified diff; for two texts without much in common, all of the one and all of the other. */
export function unifiedDiff(name: string, before: string, after: string): string {
  const patch = createTwoFilesPatch(name, name, ended(before), ended(after), undefined, undefined, {
    context: 3,
    maxEditLength: MOST_EDITS,
  })
  if (patch !== undefined) return patch
  const old = linesOf(before)
  const now = linesOf(after)
  return [
    `--- ${name}`,
    `+++ ${name}`,
    `@@ -1,${old.length} +1,${now.length} @@`,
    ...old.map((line) => `-${line}`),
    ...now.map((line) => `+${line}`),
    "",
  ].join("\n")
}

/** A last line is the same line whether or not another follows it. */
function ended(text: string): string {
  const lines = text.replace(/\r\n/g, "\n")
  return lines === "" || lines.endsWith("\n") ? lines : `${lines}\n`
}

function linesOf(text: string): string[] {
  if (text === "") return []
  return text.replace(/\r?\n$/, "").split(/\r?\n/)
}
