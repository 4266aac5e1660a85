import { describe, expect, it } from "vitest"
import { placeAfter } from "./place-after.ts"

describe("placeAfter", () => {
  it("leads to a place on this page", () => {
    expect(placeAfter("?next=%2Fprojects%2F1%2Fboard")).toBe("/projects/1/board")
    expect(placeAfter("")).toBe("/")
  })

  it.each(["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)"])("never leads to %s", (next) => {
    expect(placeAfter(`?next=${encodeURIComponent(next)}`)).toBe("/")
  })
})
