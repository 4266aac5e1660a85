import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { linesOf, shownRows, type ShownRow, wholeFile } from "./diff-rows.ts"
import { shadesOf } from "./syntax.ts"
import { wordDiff } from "./word-diff.ts"

const PATCH = [
  "diff --git a/a.ts b/a.ts",
  "--- a/a.ts",
  "+++ b/a.ts",
  "@@ -2,4 +2,4 @@",
  " two",
  "-const price = 12",
  "-  old",
  "+const price = 13",
  "+old",
  " five",
  "",
].join("\n")
const kinds = (rows: readonly ShownRow[]) => rows.map(({ kind, before, after }) => `${kind} ${before} ${after}`)

describe("the words in which two lines differ", () => {
  it("are marked on both, and not at all where the lines have little in common", () => {
    expect(wordDiff("const price = 12", "const price = 13")).toEqual([[[14, 16]], [[14, 16]]])
    expect(wordDiff("one two three", "completely else")).toBeUndefined()
    expect(wordDiff("", "")).toBeUndefined()
  })

  it("leave the same letters over on both sides", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "(", "é"), maxLength: 20 })
    fc.assert(
      fc.property(line, line, (before, after) => {
        const spans = wordDiff(before, after)
        if (spans === undefined) return
        const rest = (text: string, at: 0 | 1) =>
          [...spans[at]].reverse().reduce((left, [from, to]) => left.slice(0, from) + left.slice(to), text)
        expect(rest(before, 0)).toBe(rest(after, 1))
      }),
    )
  })
})

describe("the rows that are shown", () => {
  it("mark words where a line replaces another", () => {
    const rows = shownRows(PATCH, { ignoreSpace: false })
    expect(rows[2]?.words).toEqual([[14, 16]])
    expect(rows[4]?.words).toEqual([[14, 16]])
    expect(rows[1]?.words).toBeUndefined()
  })

  it("leave out what differs by blanks alone, once nothing else in the place differs", () => {
    const blanks = "@@ -1,2 +1,2 @@\n-  a\n-b\n+a\n+\tb\n"
    expect(kinds(shownRows(blanks, { ignoreSpace: true }))).toEqual(["hunk null null", "same 1 1", "same 2 2"])
    expect(kinds(shownRows(PATCH, { ignoreSpace: true }))).toHaveLength(7)
  })

  it("stand side by side, each line once", () => {
    const lines = linesOf(shownRows(PATCH, { ignoreSpace: false }), true)
    expect(lines.map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ["@@ -2,4 +2,4 @@", "@@ -2,4 +2,4 @@"],
      ["two", "two"],
      ["const price = 12", "const price = 13"],
      ["  old", "old"],
      ["five", "five"],
    ])
  })

  it("are the whole file when that is asked for", () => {
    const content = ["one", "two", "const price = 13", "old", "five", "six", ""].join("\n")
    const rows = wholeFile(shownRows(PATCH, { ignoreSpace: false }), content)
    expect(kinds(rows)).toEqual([
      "same 1 1",
      "same 2 2",
      "removed 3 null",
      "removed 4 null",
      "added null 3",
      "added null 4",
      "same 5 5",
      "same 6 6",
    ])
    expect(
      wholeFile(shownRows("@@ -2 +1,0 @@\n-two\n", { ignoreSpace: false }), "one\nthree\n").map(({ text }) => text),
    ).toEqual(["one", "two", "three"])
  })
})

describe("the colours of a line", () => {
  it("say what stands where, and a quote that was removed colours nothing else", () => {
    const patch = '@@ -1,2 +1,2 @@\n-const a = "open\n+const a = 1\n const b = 2\n'
    const rows = shownRows(patch, { ignoreSpace: false })
    const shades = shadesOf("a.ts", rows)
    expect(shades[2]).toEqual([
      [0, 5, "keyword"],
      [10, 11, "number"],
    ])
    expect(shades[3]?.[0]).toEqual([0, 5, "keyword"])
    expect(shadesOf("a.unknown", rows)).toEqual([])
    const said = shownRows('@@ -1 +1 @@\n+RUN echo "open"\n', { ignoreSpace: false })
    for (const name of ["Makefile", "deploy/Dockerfile"]) expect(shadesOf(name, said).flat()).not.toEqual([])
  })
})
