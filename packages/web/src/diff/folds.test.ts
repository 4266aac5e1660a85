import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type DiffLine, foldedRows, isFold, linesOfPatch } from "./lines.ts"

const line = fc.record({
  kind: fc.constantFrom("same", "same", "same", "added", "removed"),
  text: fc.string({ maxLength: 3 }),
}) as fc.Arbitrary<DiffLine>
const lines = fc.array(line, { maxLength: 60 })
const unfolded = (all: readonly DiffLine[]) => foldedRows(all).flatMap((row) => (isFold(row) ? row.hidden : [row]))

describe("folding a diff", () => {
  it("loses no line and changes no order", () => {
    fc.assert(
      fc.property(lines, (all) => {
        expect(unfolded(all).map(({ kind, text }) => ({ kind, text }))).toEqual(all)
      }),
    )
  })

  it("numbers each side without a gap, and a line that is not on a side has no number there", () => {
    fc.assert(
      fc.property(lines, (all) => {
        const rows = unfolded(all)
        const before = rows.flatMap((row) => row.before ?? [])
        const after = rows.flatMap((row) => row.after ?? [])
        expect(before).toEqual(before.map((_, at) => at + 1))
        expect(after).toEqual(after.map((_, at) => at + 1))
        expect(
          rows.every(
            ({ kind, before: left, after: right }) =>
              (left === undefined) === (kind === "added") && (right === undefined) === (kind === "removed"),
          ),
        ).toBe(true)
      }),
    )
  })

  it("hides only what did not change and is three lines or more away from what did, never fewer than three at once", () => {
    fc.assert(
      fc.property(lines, (all) => {
        const rows = foldedRows(all)
        const hidden = rows.filter(isFold)
        expect(hidden.every((fold) => fold.hidden.length > 2 && fold.hidden.every(({ kind }) => kind === "same"))).toBe(
          true,
        )
        rows.forEach((row, at) => {
          if (!isFold(row) || at === 0) return
          const shown = rows.slice(Math.max(0, at - 3), at)
          expect(shown).toHaveLength(3)
          expect(shown.every((each) => !isFold(each))).toBe(true)
        })
      }),
    )
  })

  it.each([
    [0, "nothing"],
    [1, "one line"],
    [2, "two lines"],
  ])("shows an unchanged text of %i lines as it is", (count) => {
    const all = Array.from({ length: count }, (): DiffLine => ({ kind: "same", text: "x" }))
    expect(foldedRows(all).some(isFold)).toBe(false)
  })

  it("folds a text in which nothing changed into one", () => {
    const rows = foldedRows(Array.from({ length: 50 }, (): DiffLine => ({ kind: "same", text: "x" })))
    expect(rows.map((row) => (isFold(row) ? row.hidden.length : "shown"))).toEqual([50])
  })
})

describe("the lines of a patch", () => {
  it.each([
    ["nothing", "", []],
    ["only headers", "--- a\n+++ b\n", []],
    ["an empty line that was added", "@@ -0,0 +1 @@\n+", [{ kind: "added", text: "" }]],
    [
      "a line that looks like a header inside a hunk",
      "@@ -1 +1 @@\n--- dashes\n+++ plusses",
      [
        { kind: "removed", text: "-- dashes" },
        { kind: "added", text: "++ plusses" },
      ],
    ],
    ["spaces at the beginning of a line", "@@ -1 +1 @@\n    indented", [{ kind: "same", text: "   indented" }]],
    [
      "the words on a missing end of line",
      "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a",
      [
        { kind: "removed", text: "a" },
        { kind: "added", text: "a" },
      ],
    ],
  ])("of %s", (_, patch, told) => {
    expect(linesOfPatch(patch)).toEqual(told)
  })

  it("part one hunk from the next, but not the first from nothing", () => {
    const told = linesOfPatch("@@ -1 +1 @@\n+a\n@@ -9 +9 @@\n+b\n@@ -20 +20 @@ function f() {\n+c")
    expect(told.map(({ text }) => text)).toEqual(["a", "⋯", "b", "⋯", "c"])
  })
})
