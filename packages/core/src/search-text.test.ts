import { describe, expect, it } from "vitest"
import { searchTerms, snippet } from "./search-text.ts"

describe("search terms", () => {
  it("are words and quoted parts, each once", () => {
    expect(searchTerms('login "two words" login 登录')).toEqual(["login", "two words", "登录"])
  })

  it("leave out quotes that hold nothing", () => {
    expect(searchTerms('"" " a"b ')).toEqual(["a", "b"])
  })

  it("are not endless", () => {
    expect(searchTerms(Array.from({ length: 50 }, (_, n) => `w${n}`).join(" "))).toHaveLength(12)
  })
})

describe("a snippet", () => {
  it("is the beginning when the word stands there or nowhere", () => {
    expect(snippet("A short text", ["short"])).toBe("A short text")
    expect(snippet("x".repeat(300), ["absent"], 20)).toBe(`${"x".repeat(20)}…`)
  })

  it("shows the first word found with what is around it", () => {
    const text = `${"before ".repeat(60)}NEEDLE ${"after ".repeat(60)}`
    const shown = snippet(text, ["needle"])
    expect(shown).toContain("NEEDLE")
    expect(shown.startsWith("…")).toBe(true)
    expect(shown.endsWith("…")).toBe(true)
    expect(shown.length).toBeLessThan(170)
  })

  it("does not cut a character in half", () => {
    expect(snippet(`${"😀".repeat(200)}x${"😀".repeat(200)}`, ["x"], 31)).not.toMatch(/\p{Surrogate}/u)
  })
})
