import { describe, expect, it } from "vitest"
import { meetInLines } from "./line-overlap.ts"

const file = (hunks: string, more: object = {}) => ({
  path: "a.ts",
  oldPath: null,
  status: "modified",
  binary: false,
  patch: `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n${hunks}`,
  ...more,
})
const changed = (line: number) => file(`@@ -${line - 1},3 +${line - 1},3 @@\n before\n-line ${line}\n+new\n after\n`)
const added = (after: number) => file(`@@ -${after},2 +${after},3 @@\n before\n+new\n after\n`)

describe("two changes of a file", () => {
  it.each([
    ["the same line", changed(5), changed(5), true],
    ["lines side by side", changed(5), changed(6), true],
    ["lines with one between them", changed(5), changed(7), false],
    ["a line and what is put before it", changed(5), added(4), true],
    ["a line and what is put a line further", changed(5), added(6), false],
    ["what is put at the same place", added(4), added(4), true],
    ["different files", changed(5), { ...changed(5), path: "b.ts" }, false],
    ["a file and its new name", changed(5), { ...changed(5), path: "b.ts", oldPath: "a.ts", status: "renamed" }, true],
    ["a file that one deletes", changed(5), { ...changed(50), status: "deleted" }, true],
    ["a file that both add", file("", { status: "added" }), file("", { status: "added" }), true],
    ["pictures", file("", { binary: true }), file("", { binary: true }), true],
  ])("meet or not: %s", (_name, one, other, meet) => {
    expect([meetInLines(one, other, true), meetInLines(other, one, true)]).toEqual([meet, meet])
  })

  it("from different bases meet where both take away a line that said the same", () => {
    const moved = file("@@ -104,3 +104,3 @@\n before\n-line 5\n+other\n after\n")
    expect(meetInLines(changed(5), moved, false)).toBe(true)
    expect(meetInLines(changed(6), moved, false)).toBe(false)
  })
})
