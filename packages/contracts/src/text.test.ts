import { assert, constantFrom, property, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { faults } from "../test/contract.ts"
import { line, prose } from "./signature.ts"

const CONTROLS = ["\u0000", "\u0001", "\u0007", "\u0008", "\u000b", "\u000c", "\u000e", "\u001b", "\u001f", "\u007f"]

/** Text of all sorts: letters, blanks, breaks, control characters, and characters of two code units. */
const anyText = string({
  unit: constantFrom("a", "é", "漢", "😀", " ", "\t", "\n", "\r", "\u0000", "\u001b", "\u007f", "\u0085"),
  maxLength: 12,
})

describe("one line of text", () => {
  it("loses the blanks around it", () => expect(line().parse("  a door \t")).toBe("a door"))

  it("may be up to 256 characters where nothing else is said", () => {
    expect(faults(line(), "x".repeat(256))).toEqual([])
    expect(faults(line(), "x".repeat(257))).toHaveLength(1)
  })

  it("is measured after the blanks went", () => expect(line(4).parse(`   door   `)).toBe("door"))

  it("is not blank", () => {
    for (const blank of ["", " ", "\n\t ", "\u00a0"])
      expect(faults(line(), blank), JSON.stringify(blank)).not.toEqual([])
  })

  it.each(CONTROLS)("does not hold %j", (sign) => {
    expect(faults(line(), `a${sign}b`)).toEqual([": must be one line without control characters"])
  })

  it.each(["\n", "\r", "\r\n"])("does not hold the break %j", (sign) => {
    expect(faults(line(), `a${sign}b`)).toEqual([": must be one line without control characters"])
  })

  it("keeps tabs, every script, and characters made of several", () => {
    for (const text of ["a\tb", "Дверь", "門", "👩‍🚀 opens", "e\u0301"]) expect(line().parse(text)).toBe(text)
  })

  it("is the same when it is taken a second time", () => {
    assert(
      property(anyText, (text) => {
        const once = line().safeParse(text)
        if (once.success) expect(line().parse(once.data)).toBe(once.data)
      }),
    )
  })

  it("is always one line without control characters and without blanks around it", () => {
    assert(
      property(anyText, (text) => {
        const { data } = line().safeParse(text)
        // oxlint-disable-next-line no-control-regex
        if (data !== undefined) expect(data).toMatch(/^(?!\s)[^\u0000-\u0008\u000a-\u001f\u007f]+(?<!\s)$/)
      }),
    )
  })
})

describe("prose", () => {
  it("is kept to the letter, blanks around it included", () => {
    for (const text of ["", "  # Title\n\n\ttext\r\n", "漢字\n😀"]) expect(prose().parse(text)).toBe(text)
  })

  it("may be up to 200,000 characters where nothing else is said", () => {
    expect(faults(prose(), "x".repeat(200_000))).toEqual([])
    expect(faults(prose(), "x".repeat(200_001))).toHaveLength(1)
  })

  it.each(CONTROLS)("does not hold %j", (sign) => {
    expect(faults(prose(), `a\n${sign}b`)).toEqual([": must not hold control characters"])
  })

  it("takes whatever is one line, and more", () => {
    assert(
      property(anyText, (text) => {
        if (line().safeParse(text).success) expect(prose().safeParse(text.trim()).success).toBe(true)
      }),
    )
  })
})
