import { stripVTControlCharacters, styleText } from "node:util"
import { array, assert, constantFrom, integer, property, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { columnsOf, fit, harmless, oneLine, visible } from "./output.ts"

const red = (text: string) => styleText("red", text, { validateStream: false })
const anything = array(constantFrom("a", "é", "中", "🎨", "e\u0301", red("in red"), "\u001b[1;32m", " "), {
  maxLength: 12,
}).map((parts) => parts.join(""))

describe("the columns of a text", () => {
  it.each([
    ["nothing", "", 0],
    ["letters", "plan", 4],
    ["letters with marks of their own", "Größe", 5],
    ["letters with marks that follow them", "e\u0301e\u0301", 2],
    ["Chinese", "项目", 4],
    ["Korean and Japanese", "한글かな", 8],
    ["full-width letters", "ＡＢ", 4],
    ["pictures", "🎨🎨", 4],
    ["letters of the second plane", "𠀀", 2],
    ["colours", red("plan"), 4],
    ["joiners, which nobody sees", "a\u200db", 2],
  ])("counts %s", (_, text, columns) => {
    expect(columnsOf(text)).toBe(columns)
  })
})

describe("a text that has to fit", () => {
  it.each([
    ["that does", "plan", 4, "plan"],
    ["one letter too long", "plans", 4, "pla…"],
    ["with room for the sign alone", "plan", 1, "…"],
    ["without any room", "plan", 0, ""],
    ["whose last letter is wide", "ab中", 3, "ab…"],
    ["whose wide letter would be cut through", "a中b", 3, "a…"],
    ["of wide letters", "项目计划", 5, "项目…"],
    ["of pictures, none of them halved", "🎨🎨🎨", 4, "🎨…"],
  ])("%s", (_, text, columns, fitted) => {
    expect(fit(text, columns)).toBe(fitted)
  })

  it("keeps its colour to the cut, and the colour ends there", () => {
    expect(fit(`${red("warning")} and more`, 5)).toBe(red("warn…"))
  })

  it("never takes more than its room, and is left alone where it needs no more", () => {
    assert(
      property(anything, integer({ min: 0, max: 30 }), (text, columns) => {
        const fitted = fit(text, columns)
        expect(columnsOf(fitted)).toBeLessThanOrEqual(columns)
        if (columnsOf(text) <= columns) expect(fitted).toBe(text)
      }),
    )
  })

  it("shows the beginning of the text and nothing else", () => {
    assert(
      property(anything, integer({ min: 1, max: 30 }), (text, columns) => {
        const shown = stripVTControlCharacters(fit(text, columns))
        expect(stripVTControlCharacters(text).startsWith(shown.replace(/…$/, ""))).toBe(true)
      }),
    )
  })
})

describe("what others wrote", () => {
  it.each([
    ["clears the screen", "a\u001b[2Jb", "a\\u{1b}[2Jb"],
    ["sets the window's title", "\u001b]0;owned\u0007", "\\u{1b}]0;owned\\u{7}"],
    ["goes back to the line's beginning", "safe\rrm -rf", "safe\\u{d}rm -rf"],
    ["steps back over letters", "ab\b\bcd", "ab\\u{8}\\u{8}cd"],
    ["turns the direction of writing", "\u202egnp.exe", "\\u{202e}gnp.exe"],
    ["begins a sequence with one character", "\u009b2J", "\\u{9b}2J"],
  ])("is shown when it %s", (_, text, shown) => {
    expect(harmless(text)).toBe(shown)
    expect(visible(text)).toBe(shown)
  })

  it("keeps our colours and its lines where it stands among our own words", () => {
    expect(harmless(`${red("error")}\nGröße 项目 👩‍💻`)).toBe(`${red("error")}\nGröße 项目 👩‍💻`)
  })

  it("is shown to the last character where somebody decides by it", () => {
    expect(visible(`${red("x")}\n\u200b`)).toBe("\\u{1b}[31mx\\u{1b}[39m\\u{a}\\u{200b}")
  })

  it.each([
    ["lines", "  first\n\n\tsecond\u2028third ", "first second third"],
    ["colours and titles", `\u001b]0;title\u0007${red("red")}\u001b[2K`, "red"],
    ["nothing but control characters", "\u0000\u001b[2J\r\n", ""],
  ])("becomes one line out of %s", (_, text, line) => {
    expect(oneLine(text)).toBe(line)
  })

  it("never moves a cursor, whatever it is", () => {
    assert(
      property(string({ unit: "binary" }), (text) => {
        expect(visible(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        expect(stripVTControlCharacters(harmless(text)).replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})
