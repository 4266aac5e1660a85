import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { shaded } from "./highlight.ts"

const LANGUAGES = ["ts", "json", "go", "python", "yaml", "sh", "dockerfile", "sql", "diff", "patch", "text", ""]
const told = (code: string, language: string) =>
  shaded(code, language).flatMap(({ text, shade }) => (shade === undefined ? [] : [`${shade}:${text}`]))

describe("shading code", () => {
  it("loses no character in any language, whatever it is given", () => {
    const signs = fc.array(
      fc.constantFrom(
        '"',
        "'",
        "`",
        "\\",
        "/*",
        "*/",
        "//",
        "#",
        "--",
        "\n",
        " ",
        "const",
        "if",
        "42",
        "0x1f",
        "+",
        "-",
        "@@",
        "灯",
        "𝒳",
      ),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(signs, fc.constantFrom(...LANGUAGES), (parts, language) => {
        const code = parts.join("")
        const pieces = shaded(code, language)
        expect(pieces.map(({ text }) => text).join("")).toBe(code)
      }),
    )
  })

  it.each<[string, string, string[]]>([
    [
      "ts",
      "let a = `x ${b}` /* note */ + 0x1f",
      ["keyword:let", "string:`x ${b}`", "comment:/* note */", "number:0x1f"],
    ],
    ["ts", "constant letter", []],
    ["ts", '"a \\" b" // "c"', ['string:"a \\" b"', 'comment:// "c"']],
    ["json", '{"on": true, "watt": 7.5}', ['string:"on"', "keyword:true", 'string:"watt"', "number:7.5"]],
    ["python", "def f(): # note\n  return None", ["keyword:def", "comment:# note", "keyword:return", "keyword:None"]],
    ["yaml", "port: 3000 # note", ["number:3000", "comment:# note"]],
    [
      "sh",
      "if [ $# -gt 0 ]; then echo a#b # note",
      ["keyword:if", "number:0", "keyword:then", "keyword:echo", "comment:# note"],
    ],
    ["sql", "SELECT a FROM t -- note", ["keyword:SELECT", "keyword:FROM", "comment:-- note"]],
    ["SQL", "select 1", ["keyword:select", "number:1"]],
    ["diff", "@@ -1 +1 @@\n-a\n+b\n c", ["comment:@@ -1 +1 @@\n", "removed:-a\n", "added:+b\n"]],
    ["text", "if 1", []],
    ["", "if 1", []],
  ])("knows %s: %s", (language, code, shades) => {
    expect(told(code, language)).toEqual(shades)
  })

  it("ends a comment that nobody ended at the end, and a string at the end of its line", () => {
    expect(told("/* open\nstill", "c")).toEqual(["comment:/* open\nstill"])
    expect(told('"open\nlet', "ts")).toEqual(["keyword:let"])
  })

  it("leaves very long code as it is", () => {
    const long = "let a = 1\n".repeat(2001)
    expect(shaded(long, "ts")).toEqual([{ text: long }])
    expect(shaded(long.slice(0, 20_000), "ts").length).toBeGreaterThan(1)
  })
})
