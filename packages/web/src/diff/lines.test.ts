import { describe, expect, it } from "vitest"
import { type DiffLine, foldedRows, isFold, linesBetween, linesOfPatch } from "./lines.ts"

const same = (text: string): DiffLine => ({ kind: "same", text })

describe("a diff", () => {
  it("numbers each side by itself", () => {
    const rows = foldedRows([same("a"), { kind: "removed", text: "b" }, { kind: "added", text: "B" }, same("c")])
    expect(rows.map((row) => (isFold(row) ? "fold" : [row.before, row.after]))).toEqual([
      [1, 1],
      [2, undefined],
      [undefined, 2],
      [3, 3],
    ])
  })

  it("folds what is far from any change, and nothing shorter than a fold", () => {
    const far = Array.from({ length: 20 }, (_, at) => same(String(at)))
    const rows = foldedRows([...far, { kind: "added", text: "new" }])
    expect(rows.filter(isFold).map(({ hidden }) => hidden.length)).toEqual([17])
    expect(foldedRows([...far.slice(0, 5), { kind: "added", text: "new" }]).some(isFold)).toBe(false)
  })

  it("of two texts keeps what both have, in reading order", () => {
    expect(linesBetween("a\nb\nc", "a\nB\nc\nd")).toEqual([
      same("a"),
      { kind: "removed", text: "b" },
      { kind: "added", text: "B" },
      same("c"),
      { kind: "added", text: "d" },
    ])
    expect(linesBetween("", "new")).toEqual([{ kind: "added", text: "new" }])
    expect(linesBetween("gone", "")).toEqual([{ kind: "removed", text: "gone" }])
  })

  it("marks the words that differ where a line replaces another, and none where the two have nothing in common", () => {
    const [removed, added] = foldedRows(linesBetween("Cats are allowed", "Dogs are allowed"))
    expect([removed, added]).toMatchObject([{ words: [[0, 4]] }, { words: [[0, 4]] }])
    expect(foldedRows(linesBetween("yes", "nothing like it")).some((row) => "words" in row)).toBe(false)
  })

  it("reads a unified diff without its headers", () => {
    const patch =
      "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -9 +9 @@\n+--- not a header\n\\ No newline at end of file"
    expect(linesOfPatch(patch)).toEqual([
      same("one"),
      { kind: "removed", text: "two" },
      { kind: "added", text: "2" },
      same("⋯"),
      { kind: "added", text: "--- not a header" },
    ])
  })
})
