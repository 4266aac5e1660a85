import { describe, expect, it } from "vitest"
import { lineDiff, unifiedDiff } from "./text-diff.ts"

describe("lineDiff", () => {
  it("marks what came, went and stayed, in reading order", () => {
    expect(lineDiff("a\nb\nc\n", "a\nB\nc\nd\n")).toEqual([
      { kind: "same", text: "a" },
      { kind: "removed", text: "b" },
      { kind: "added", text: "B" },
      { kind: "same", text: "c" },
      { kind: "added", text: "d" },
    ])
  })

  it("leaves a last line alone that others now follow", () => {
    const grown = [
      { kind: "same", text: "a" },
      { kind: "added", text: "" },
      { kind: "added", text: "b" },
    ]
    expect(lineDiff("a", "a\n\nb")).toEqual(grown)
    expect(lineDiff("a\r\n", "a\n\nb\n")).toEqual(grown)
    expect(unifiedDiff("Design", "a", "a\n\nb")).toContain("@@\n a\n+\n+b\n")
  })

  it("has nothing to mark between equal texts, nor lines in an empty one", () => {
    expect(lineDiff("x\ny", "x\ny").every((line) => line.kind === "same")).toBe(true)
    expect(lineDiff("", "")).toEqual([])
    expect(lineDiff("", "x")).toEqual([{ kind: "added", text: "x" }])
  })

  it("gives up on looking for common lines in two long unrelated texts, and shows both", () => {
    const text = (prefix: string) => Array.from({ length: 20_000 }, (_, index) => `${prefix}${index}`).join("\n")
    const lines = lineDiff(text("old "), text("new "))
    expect(lines.filter((line) => line.kind === "removed")).toHaveLength(20_000)
    expect(lines.filter((line) => line.kind === "added")).toHaveLength(20_000)
  })
})

describe("unifiedDiff", () => {
  it("shows changes with their surroundings", () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n")
    const patch = unifiedDiff("Design", before, before.replace("line 10", "line ten"))
    expect(patch).toContain("-line 10\n+line ten")
    expect(patch).toContain("@@ -8,7 +8,7 @@")
    expect(patch).not.toContain("line 2\n")
  })

  it("stays a unified diff for texts without anything in common", () => {
    const text = (prefix: string) => Array.from({ length: 20_000 }, (_, index) => `${prefix}${index}`).join("\n")
    expect(unifiedDiff("Design", text("old "), text("new "))).toMatch(
      /^--- Design\n\+\+\+ Design\n@@ -1,20000 \+1,20000 @@\n-old 0\n/,
    )
  })
})
