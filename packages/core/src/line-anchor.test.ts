import { describe, expect, it } from "vitest"
import { anchorAt, lineOf } from "./line-anchor.ts"

const lines = (...texts: string[]) => new Map(texts.map((text, at) => [at + 1, text]))
const TEXT = ["function open() {", "  knock()", "}", "", "function close() {", "  knock()", "}"]
const anchored = (line: number) => {
  const anchor = anchorAt(lines(...TEXT), line)
  if (anchor === undefined) throw new Error("no such line")
  return anchor
}

describe("a line that was commented on", () => {
  it("is found where it was, and where it moved to", () => {
    expect(lineOf(anchored(6), lines(...TEXT))).toBe(6)
    expect(lineOf(anchored(6), lines("// new", "// lines", ...TEXT))).toBe(8)
  })

  it("is told from its like by what stands around it", () => {
    expect(lineOf(anchored(2), lines(...TEXT.slice(4), "", ...TEXT.slice(0, 4)))).toBe(6)
    expect(lineOf(anchored(6), lines(...TEXT.slice(4), "", ...TEXT.slice(0, 4)))).toBe(2)
  })

  it("is gone once it says something else, however near", () => {
    expect(lineOf(anchored(6), lines(...TEXT.with(5, "  slam()").with(1, "  ring()")))).toBeUndefined()
  })

  it("is not mistaken for another brace", () => {
    expect(lineOf(anchored(7), lines("class A {", "  x = 1", "}", "const a = 2"))).toBeUndefined()
  })

  it("must be there to be commented on", () => expect(anchorAt(lines("one"), 2)).toBeUndefined())
})
