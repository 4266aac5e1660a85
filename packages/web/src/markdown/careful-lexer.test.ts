import * as fc from "fast-check"
import { lexer } from "marked"
import { describe, expect, it } from "vitest"
import { carefulTokens } from "./careful-lexer.ts"
import { linkLength } from "./link-length.ts"

describe("careful tokens", () => {
  const pieces = fc.constantFrom(
    "[",
    "]",
    "(",
    ")",
    "!",
    "a",
    "b c",
    "`",
    "``",
    "\\",
    "<",
    ">",
    '"',
    "'",
    " ",
    "\n",
    "*",
    "**",
    "_",
    "~~",
    "https://example.com",
    "[a](b)",
    '[a](b "c")',
    "![a](<b c>)",
    "# ",
    "- ",
    "> ",
    "| a |\n|-|\n",
    "&amp;",
  )

  it("are those of the library for whatever people write", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
        const source = parts.join("")
        expect([...carefulTokens(source)], JSON.stringify(source)).toEqual([...lexer(source)])
      }),
      { numRuns: 3000, seed: 7 },
    )
  })

  it.each([
    "![a](",
    "[a](",
    "[a](b)(",
    "[a](x (",
    '[a](x "',
    "[a](<",
    "[",
    "**a ",
    "_a ",
    "~~a",
    "`a``",
    "<a ",
    "<!--",
    "&#",
    "\\[",
    "> ",
    "- ",
    "1. ",
    "* ",
    ">",
    "|",
    "a@",
    "www.a ",
    "[a][",
    "[^a",
    "](",
    "![",
  ])("of %j without end are a matter of a moment", (unit) => {
    for (const length of [5000, 200_000]) {
      const source = unit.repeat(Math.ceil(length / unit.length))
      expect(carefulTokens(source).length).toBeGreaterThan(0)
      expect(
        carefulTokens(`${unit.repeat(300)}\n\n`.repeat(Math.ceil(length / (unit.length * 300)))).length,
      ).toBeGreaterThan(0)
    }
  })

  it.each(["> ", ">", "- ", "1. ", "> - ", "* > 2) ", "   > ", "\t- "])(
    "of %j as deep as it is still looked into are a matter of a moment",
    (unit) => {
      const marks = unit.match(/>|[-*]|\d[.)]/g)?.length ?? 1
      const line = `${unit.repeat(Math.floor(39 / marks))}deep`
      for (const source of [line, `${line}\n`.repeat(200), `${line}\n\n`.repeat(200)])
        expect(carefulTokens(source).length).toBeGreaterThan(0)
    },
  )

  it("show as it stands what is too dense or too deep to be prose", () => {
    expect([...carefulTokens("**a** ".repeat(1000))]).toMatchObject([{ type: "paragraph", tokens: [{ type: "text" }] }])
    expect([...carefulTokens(`${"> ".repeat(60)}deep`)]).toMatchObject([{ type: "html" }])
    expect([...carefulTokens("A long **word** in prose. ".repeat(90))]).toMatchObject([
      { type: "paragraph", tokens: expect.arrayContaining([expect.objectContaining({ type: "strong" })]) },
    ])
  })
})

describe("the length of a link", () => {
  it.each([
    ["[a](b)c", 6],
    ["![a](b)", 7],
    ["[a [b] c](d)", 12],
    ["[a](b (c) d", undefined],
    ["[a](b(c)d) e", 10],
    ['[a](<b c> "d") e', 14],
    ["[a](b 'it\\'s') e", 14],
    ["[a]( b )", 8],
    ["[a]()", 5],
    ["[`]`](b)", 8],
    ["[a](b", undefined],
    ["[a", undefined],
    ["[a] (b)", undefined],
    ["a](b)", undefined],
    [`[a](${"(".repeat(40)}`, undefined],
  ])("%s", (source, length) => {
    expect(linkLength(source)).toBe(length)
  })
})
